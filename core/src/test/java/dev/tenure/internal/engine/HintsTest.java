package dev.tenure.internal.engine;

import static dev.tenure.internal.engine.Stage.MILLI;
import static dev.tenure.internal.engine.Stage.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.internal.engine.ElectionState.Ready;
import dev.tenure.internal.engine.ElectionState.Resting;
import dev.tenure.internal.engine.ElectionState.Tries;
import dev.tenure.internal.engine.ElectionState.Waiting;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Hints, and whoever else follows them. */
class HintsTest extends ElectionStory {
    @Test
    void a_hint_while_claiming_is_not_lost() {
        claim();
        on(new ElectionEvent.Hinted());
        on(new ElectionEvent.MustWait(false, false));

        assertThat(state).isEqualTo(new Resting(now, Tries.NONE));
        on(new ElectionEvent.Tick());
        assertThat(effects).containsExactly(new ElectionEffect.AskAdmission());
    }

    @Test
    void without_a_hint_a_refused_claim_waits() {
        claim();

        on(new ElectionEvent.MustWait(false, false));

        assertThat(state).isEqualTo(new Waiting(Optional.empty()));
        assertThat(machine.nextWake(state, scene())).isEmpty();
    }

    @Test
    void a_hint_while_waiting_is_followed_at_once() {
        claim();
        on(new ElectionEvent.MustWait(false, false));
        numbers.jitterNanos = 3 * MILLI;

        on(new ElectionEvent.Hinted());

        assertThat(state).isEqualTo(new Ready(Tries.NONE));
    }

    /** As after a leader's own claim, or its next word about itself. */
    @Test
    void who_followed_a_hint_and_found_the_same_leader_has_no_company() {
        claim();
        on(new ElectionEvent.MustWait(false, false));
        on(new ElectionEvent.Hinted());
        on(new ElectionEvent.Admitted());
        on(new ElectionEvent.MustWait(false, false));
        numbers.jitterNanos = 3 * MILLI;

        on(new ElectionEvent.Hinted());

        assertThat(state).isEqualTo(new Ready(Tries.NONE));
    }

    @Test
    void who_was_overtaken_has_company_and_follows_the_next_hint_after_a_little_jitter() {
        comeTooLate();
        numbers.jitterNanos = 3 * MILLI;

        on(new ElectionEvent.Hinted());

        assertThat(state).isEqualTo(new Resting(now + 3 * MILLI, Tries.CROWDED));
        numbers.jitterNanos = SECOND;
        state = new Waiting(Optional.empty(), true);
        on(new ElectionEvent.Hinted());
        assertThat(((Resting) state).untilNanos() - now).isLessThan(10 * MILLI);
    }

    @Test
    void a_poll_does_not_let_it_forget_its_company() {
        comeTooLate();

        on(new ElectionEvent.Poll());
        on(new ElectionEvent.Admitted());
        on(new ElectionEvent.MustWait(false, false));

        assertThat(state).isEqualTo(new Waiting(Optional.empty(), true));
    }

    private void comeTooLate() {
        claim();
        on(new ElectionEvent.MustWait(false, false));
        on(new ElectionEvent.Hinted());
        on(new ElectionEvent.Admitted());
        on(new ElectionEvent.MustWait(false, true));
        assertThat(state).isEqualTo(new Waiting(Optional.empty(), true));
    }
}
