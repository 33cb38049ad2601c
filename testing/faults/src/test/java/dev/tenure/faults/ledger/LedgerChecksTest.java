// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.faults.ledger.LedgerChecks.Breach;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class LedgerChecksTest {
    private static final long LEASE = 100;

    private static TermBelief belief(String node, long token, long begin, long deadline) {
        return TermBelief.begun(node, token, begin, deadline);
    }

    private static LedgerEvent raise(String node, long token) {
        return new LedgerEvent.Raise(0, node, token, node, true);
    }

    private static LedgerEvent write(String node, long token) {
        return new LedgerEvent.Write(0, node, token, node, true);
    }

    @Test
    void beliefs_one_after_the_other_do_not_overlap() {
        List<TermBelief> beliefs = List.of(belief("a", 1, 0, 50), belief("b", 2, 50, 90));

        assertThat(LedgerChecks.overlaps(beliefs, List.of(), LEASE)).isEmpty();
    }

    @Test
    void a_deadline_that_reaches_into_the_next_term_is_an_overlap_also_of_one_that_was_stopped() {
        List<TermBelief> beliefs = List.of(belief("a", 1, 0, 60), belief("b", 2, 50, 90));

        assertThat(LedgerChecks.overlaps(beliefs, List.of(), LEASE)).hasSize(1);
    }

    @Test
    void one_that_has_stopped_believing_before_its_deadline_does_not_overlap() {
        List<TermBelief> beliefs = List.of(belief("a", 1, 0, 60).ended(40), belief("b", 2, 50, 90));

        assertThat(LedgerChecks.overlaps(beliefs, List.of(), LEASE)).isEmpty();
    }

    @Test
    void a_process_that_wakes_after_its_deadline_believed_no_longer_than_that() {
        TermBelief stopped = belief("a", 1, 0, 60).ended(500);

        assertThat(stopped.overNanos()).isEqualTo(60);
        assertThat(stopped.endNanos()).isEqualTo(OptionalLong.of(500));
    }

    @Test
    void a_broken_lease_excuses_an_overlap() {
        List<TermBelief> beliefs = List.of(belief("a", 1, 0, 120), belief("b", 2, 50, 300));

        assertThat(LedgerChecks.overlaps(beliefs, List.of(new Breach(40, 41)), LEASE))
                .isEmpty();
    }

    @Test
    void a_broken_lease_does_not_excuse_belief_beyond_the_deadline_that_was_left() {
        List<TermBelief> beliefs = List.of(belief("a", 1, 0, 142), belief("b", 2, 50, 300));

        assertThat(LedgerChecks.overlaps(beliefs, List.of(new Breach(40, 41)), LEASE))
                .hasSize(1);
    }

    @Test
    void a_lease_that_was_broken_later_excuses_nothing() {
        List<TermBelief> beliefs = List.of(belief("a", 1, 0, 60), belief("b", 2, 50, 90));

        assertThat(LedgerChecks.overlaps(beliefs, List.of(new Breach(55, 56)), LEASE))
                .hasSize(1);
    }

    @Test
    void a_write_with_an_older_token_than_one_that_was_raised_is_stale() {
        List<LedgerEvent> events = List.of(raise("a", 1), write("a", 1), raise("b", 2), write("a", 1));

        assertThat(LedgerChecks.staleWrites(events)).hasSize(1);
    }

    @Test
    void the_same_token_in_two_hands_is_found() {
        List<LedgerEvent> events = List.of(raise("a", 1), raise("b", 1));

        assertThat(LedgerChecks.sharedTokens(events, OptionalLong.empty())).hasSize(1);
    }

    @Test
    void a_token_from_the_future_that_is_issued_again_is_excused_if_it_was_refused() {
        LedgerEvent first = new LedgerEvent.Raise(10, "a", 1, "a", true);
        LedgerEvent refused = new LedgerEvent.Raise(20, "b", 1, "b", false);
        LedgerEvent accepted = new LedgerEvent.Raise(30, "c", 1, "c", true);

        assertThat(LedgerChecks.sharedTokens(List.of(first, refused), OptionalLong.of(5)))
                .isEmpty();
        assertThat(LedgerChecks.sharedTokens(List.of(first, refused), OptionalLong.of(25)))
                .hasSize(1);
        assertThat(LedgerChecks.sharedTokens(List.of(first, refused), OptionalLong.empty()))
                .hasSize(1);
        assertThat(LedgerChecks.sharedTokens(List.of(first, accepted), OptionalLong.of(5)))
                .hasSize(1);
    }
}
