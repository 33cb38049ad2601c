// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.simulator.plan.StoreKind;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Seeds that have found something. A change of the simulator may make another world of them; what they found is also told
 * by a test of what was mended.
 */
final class FoundSeedsTest {
    /** A leader without a drain budget that was closed ended its process, although its service had stopped at once. */
    @Test
    void a_leader_without_a_drain_budget_hands_over_when_it_is_closed() {
        assertThat(violationsOf(710_992, StoreKind.ZOOKEEPER)).isEmpty();
    }

    /** Three renewals in a row were lost with their servers, as if nobody had noticed that their client connected anew. */
    @Test
    void who_connects_to_another_server_of_zookeeper_is_counted_by_its_leader() {
        assertThat(violationsOf(1_237_766, StoreKind.ZOOKEEPER)).isEmpty();
    }

    /** The record of a claim was read, but not the era that is read with it; so its token was forgotten. */
    @Test
    void a_token_that_was_read_is_remembered_although_another_reply_was_lost() {
        assertThat(violationsOf(1_503_979, StoreKind.SERVER_TIME)).isEmpty();
    }

    /** The same of a watch, which reads the session of the leader next. */
    @Test
    void a_token_that_a_watch_has_read_is_remembered_although_its_next_read_failed() {
        assertThat(violationsOf(1_510_776, StoreKind.SERVER_TIME)).isEmpty();
    }

    /** The same where the store issues tokens, and issues a lower one after a failover: the floor was told to the store only. */
    @Test
    void a_token_that_a_watch_has_read_is_remembered_where_the_store_issues_tokens() {
        assertThat(violationsOf(910_035_944, StoreKind.ISSUING)).isEmpty();
    }

    /** A claim waited for the era and counted from a clock of seconds ago; meanwhile a whole claim had come and been deleted. */
    @Test
    void a_token_is_counted_from_the_newest_clock_that_was_seen() {
        assertThat(violationsOf(1_510_392, StoreKind.SERVER_TIME)).isEmpty();
    }

    /**
     * The store showed its clock, the host slept, and a claim with a higher token came and was lost with a restore: who wakes
     * cannot know of it. This was no bug of the engine; the check did not know when the clock had been shown.
     */
    @Test
    void a_claim_of_a_host_that_slept_through_a_loss_is_excused() {
        assertThat(violationsOf(1_531_037, StoreKind.SERVER_TIME)).isEmpty();
    }

    /** The bound of requests was cut to whole halves of the usual TTL. */
    @Test
    void the_bound_of_requests_follows_the_ttl() {
        assertThat(violationsOf(1_222_778, StoreKind.ZOOKEEPER)).isEmpty();
    }

    /**
     * A session was deleted, and came back when the store lost its last writes, but without the claim of its leader: its renewals
     * were acknowledged, and the next look at the claim was due later. This was no bug of the engine; the check excused the
     * leader for the deletion, and not for what came back.
     */
    @Test
    void a_leader_whose_session_comes_back_without_its_claim_is_excused_until_it_looks() {
        assertThat(violationsOf(7_420_658, StoreKind.QUEUE)).isEmpty();
    }

    /**
     * An operator gave a claim to a session that never was. A release wrote it once more to move its version on, and somebody took it
     * over. This was no bug of the engine; the check took that session for one of the releasing process.
     */
    @Test
    void a_session_that_somebody_made_up_does_not_live_because_its_claim_is_written_again() {
        assertThat(violationsOf(920_035_552, StoreKind.ISSUING)).isEmpty();
    }

    private static String violationsOf(long seed, StoreKind store) {
        StringBuilder told = new StringBuilder();
        Simulator.run(SimOptions.seeds(1).from(seed).store(Optional.of(store)), told, Runnable::run, () -> 0);
        return told.toString();
    }
}
