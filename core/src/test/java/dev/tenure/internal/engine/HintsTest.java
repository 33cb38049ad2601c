// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import static dev.tenure.internal.engine.Stage.MILLI;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.internal.engine.ElectionState.BackOff;
import dev.tenure.internal.engine.ElectionState.ClaimAttempts;
import dev.tenure.internal.engine.ElectionState.Ready;
import dev.tenure.internal.engine.ElectionState.Waiting;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Hints that an election may have changed. */
class HintsTest extends ElectionStory {
    @Test
    void a_hint_while_claiming_is_not_lost() {
        claim();
        on(new ElectionEvent.Hinted());
        on(new ElectionEvent.MustWait(false));

        assertThat(state).isEqualTo(new BackOff(now, ClaimAttempts.NONE));
        on(new ElectionEvent.Tick());
        assertThat(effects).containsExactly(new ElectionEffect.AskAdmission());
    }

    @Test
    void without_a_hint_a_refused_claim_waits() {
        claim();

        on(new ElectionEvent.MustWait(false));

        assertThat(state).isEqualTo(new Waiting(Optional.empty()));
        assertThat(machine.nextWake(state, context())).isEmpty();
    }

    @Test
    void a_hint_while_waiting_is_followed_at_once() {
        claim();
        on(new ElectionEvent.MustWait(false));
        numbers.jitterNanos = 3 * MILLI;

        on(new ElectionEvent.Hinted());

        assertThat(state).isEqualTo(new Ready(ClaimAttempts.NONE));
    }
}
