// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import static dev.tenure.internal.engine.Stage.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One machine and what it was told and did, for the tests that tell its stories. */
abstract class ElectionStory {
    final Numbers numbers = new Numbers();
    ElectionMachine machine = new ElectionMachine(Stage.ELECTION, "node-1", Stage.rules(), numbers);
    ElectionState state = machine.initial(NOW);
    List<ElectionEffect> effects = List.of();
    long now = NOW;
    long sessionSent = NOW;
    Optional<String> session = Optional.of("s1");

    void stand(ElectionRules rules) {
        machine = new ElectionMachine(Stage.ELECTION, "node-1", rules, numbers);
        state = machine.initial(now);
    }

    StepContext context() {
        return new StepContext(
                now,
                session.map(id -> Stage.session(id, now, now - sessionSent)),
                session.isPresent(),
                Stage.STAND_BACK);
    }

    void on(ElectionEvent event) {
        Transition<ElectionState, ElectionEffect> transition = machine.on(state, event, context());
        state = transition.state();
        effects = transition.effects();
    }

    <T extends ElectionEffect> T effect(Class<T> kind) {
        List<T> found = new ArrayList<>();
        effects.stream().filter(kind::isInstance).map(kind::cast).forEach(found::add);
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    /** Stands until a claim is under way. */
    ElectionEffect.SendClaim claim() {
        on(new ElectionEvent.Tick());
        on(new ElectionEvent.Admitted());
        return effect(ElectionEffect.SendClaim.class);
    }

    void grant(ElectionEffect.SendClaim claim, long token) {
        on(Stage.granted(token, claim.nonce(), 0));
    }
}
