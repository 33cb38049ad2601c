// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.encoding;

import dev.tenure.Nonce;
import dev.tenure.explorer.model.Nonces;
import dev.tenure.internal.engine.Authority;
import dev.tenure.internal.engine.ElectionState;
import dev.tenure.internal.engine.SessionState;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the states of the machines consist of, as {@link NodeEncoder} writes them. When the machines get a new state, or a
 * state a new component, exploring stops here: two states that differ only in what nobody writes would count as one, and
 * what follows from the second would never be seen. Nonces are not listed, because {@link Nonces} finds them all.
 */
final class StateEncoders {
    private static final Map<Class<?>, String> KNOWN = known();

    private StateEncoders() {}

    private static Map<Class<?>, String> known() {
        Map<Class<?>, String> known = new LinkedHashMap<>();
        known.put(ElectionState.BackOff.class, "untilNanos attempts");
        known.put(ElectionState.Ready.class, "attempts");
        known.put(ElectionState.Claiming.class, "attempt sentNanos attempts hinted");
        known.put(ElectionState.OutcomeUnknown.class, "untilNanos attempts");
        known.put(ElectionState.Waiting.class, "");
        known.put(ElectionState.RaisingFences.class, "grant attempt raised notBeforeNanos raiseByNanos");
        known.put(ElectionState.Leading.class, "grant");
        known.put(ElectionState.Draining.class, "grant loss after drain");
        known.put(ElectionState.ReleasedEarly.class, "grant loss after release");
        known.put(ElectionState.Releasing.class, "session shown release after");
        known.put(ElectionState.Retired.class, "loss");
        known.put(ElectionState.Grant.class, "term session");
        known.put(ElectionState.Drain.class, "stage interruptAtNanos drainByNanos");
        known.put(ElectionState.ClaimAttempts.class, "failures");
        known.put(ElectionState.PendingRelease.class, "attempt againAtNanos");
        known.put(ElectionState.AfterTerm.StandAgain.class, "coolDownNanos");
        known.put(ElectionState.AfterTerm.Retire.class, "loss");
        known.put(SessionState.Idle.class, "");
        known.put(SessionState.Opening.class, "attempt sentNanos sentWallMillis failures");
        known.put(SessionState.Pausing.class, "untilNanos failures");
        known.put(SessionState.Open.class, "id timing authority beat failures");
        known.put(SessionState.Ended.class, "");
        known.put(SessionState.Beat.Planned.class, "atNanos");
        known.put(SessionState.Beat.Sent.class, "attempt sentNanos sentWallMillis");
        known.put(Authority.class, "validUntilNanos originNanos originWallMillis stepMillisMax revoked");
        return known;
    }

    /** @throws IllegalStateException if the machines have outgrown what is written of them */
    static void requireKnown() {
        List.of(ElectionState.class, ElectionState.AfterTerm.class, SessionState.class, SessionState.Beat.class)
                .forEach(StateEncoders::requireAllOf);
        KNOWN.forEach(StateEncoders::require);
    }

    private static void requireAllOf(Class<?> sealed) {
        for (Class<?> permitted : sealed.getPermittedSubclasses()) {
            if (!KNOWN.containsKey(permitted)) {
                throw new IllegalStateException("the explorer does not know the state " + permitted.getName()
                        + ": say in NodeEncoder how two of them are told apart");
            }
        }
    }

    private static void require(Class<?> type, String expected) {
        String found = componentsOf(type);
        if (!found.equals(expected)) {
            throw new IllegalStateException("the explorer knows " + type.getName() + " with (" + expected
                    + "), but it has (" + found + "): say in NodeEncoder how two of them are told apart");
        }
    }

    static String componentsOf(Class<?> type) {
        List<String> names = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            if (!isNonce(component)) {
                names.add(component.getName());
            }
        }
        return String.join(" ", names);
    }

    private static boolean isNonce(RecordComponent component) {
        boolean inside = component.getGenericType() instanceof ParameterizedType generic
                && generic.getActualTypeArguments()[0] == Nonce.class;
        return inside || component.getType() == Nonce.class;
    }
}
