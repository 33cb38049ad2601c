// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Nonce;
import dev.tenure.simulator.trace.WorldTrace;
import dev.tenure.testing.VirtualTime;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which tokens out of order are excused by what the store has lost: those of a clock that was shown before, and no others. */
final class LostWritesTest {
    private static final int ELECTION = 0;

    private final VirtualTime time = new VirtualTime();
    private final GroundTruth truth = book(false);
    private final int slow = truth.newProcess("slow", time::nanos).number;
    private final int quick = truth.newProcess("quick", time::nanos).number;

    @Test
    void a_token_is_excused_if_its_clock_was_shown_before_the_lost_one_was_granted() {
        at(1).clockShown(slow, 1);
        at(2).clockShown(quick, 2);
        claim(3, quick, 200);
        lose(4);

        claim(5, slow, 100);

        assertThat(truth.violation()).isEmpty();
    }

    @Test
    void a_token_is_a_violation_if_its_process_was_shown_the_clock_after_the_lost_one_was_granted() {
        at(1).clockShown(slow, 1);
        claim(2, quick, 200);
        at(4).clockShown(slow, 3);
        lose(5);

        claim(6, slow, 100);

        assertThat(violated()).contains("S2");
    }

    @Test
    void a_token_that_is_issued_twice_is_a_violation_if_its_process_was_shown_the_clock_in_between() {
        claim(2, quick, 200);
        lose(3);
        at(4).clockShown(slow, 4);

        claim(5, slow, 200);

        assertThat(violated()).contains("S1");
    }

    @Test
    void a_claim_that_was_sent_before_the_loss_is_judged_by_the_clock_that_it_was_counted_by() {
        claim(1, quick, 200);
        lose(2);
        at(3).clockShown(slow, 3);
        Nonce nonce = send(slow, 100);
        lose(4);

        at(5).claimed(ELECTION, nonce, "session", 100, slow);

        assertThat(violated()).contains("S2");
    }

    @Test
    void nothing_is_excused_that_was_granted_after_the_loss() {
        at(1).clockShown(slow, 1);
        lose(2);
        claim(3, quick, 200);

        claim(4, slow, 100);

        assertThat(violated()).contains("S2");
    }

    @Test
    void a_lost_token_does_not_excuse_one_below_another_that_its_process_could_know_of() {
        claim(1, quick, 150);
        at(2).clockShown(slow, 2);
        claim(3, quick, 200);
        lose(4);

        claim(5, slow, 100);

        assertThat(violated()).contains("S2");
    }

    @Test
    void a_second_write_of_one_claim_is_judged_by_what_was_known_when_it_was_sent() {
        at(1).clockShown(slow, 1);
        Nonce nonce = send(slow, 90);
        claim(2, quick, 200);
        lose(3);
        at(4).clockShown(slow, 4);
        truth.counted(slow, nonce, 100);

        at(5).claimed(ELECTION, nonce, "session", 100, slow);

        assertThat(violated()).contains("S2");
    }

    @Test
    void revisions_go_back_with_the_store() {
        GroundTruth revisions = book(true);
        revisions.newProcess("any", time::nanos);
        revisions.claimed(ELECTION, new Nonce(1, 1), "session", 200, 0);
        revisions.forgot();

        revisions.claimed(ELECTION, new Nonce(2, 2), "session", 100, 0);

        assertThat(revisions.violation()).isEmpty();
    }

    private GroundTruth book(boolean tokensByRevision) {
        return new GroundTruth(time, WorldTrace.hashing(time), new Assumptions(true, tokensByRevision, true, true), 1);
    }

    private GroundTruth at(long nanos) {
        time.runUntil(nanos);
        return truth;
    }

    private void lose(long nanos) {
        at(nanos).forgot();
        truth.claimBroken(ELECTION);
    }

    private void claim(long nanos, int process, long token) {
        Nonce nonce = send(process, token);
        at(nanos).claimed(ELECTION, nonce, "session", token, process);
    }

    private Nonce send(int process, long token) {
        Nonce nonce = new Nonce(process, token);
        truth.counted(process, nonce, token);
        return nonce;
    }

    private Optional<String> violated() {
        return truth.violation().map(PropertyViolation::property);
    }
}
