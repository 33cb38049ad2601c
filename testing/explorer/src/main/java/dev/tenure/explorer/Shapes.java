package dev.tenure.explorer;

import dev.tenure.Nonce;
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
 * What the states of the machines consist of, as {@link NodeScript} writes them. When the machines get a new state, or a
 * state a new component, exploring stops here: two states that differ only in what nobody writes would count as one, and
 * what follows from the second would never be seen. Nonces are not listed, because {@link Nonces} finds them all.
 */
final class Shapes {
    private static final Map<Class<?>, String> KNOWN = known();

    private Shapes() {}

    private static Map<Class<?>, String> known() {
        Map<Class<?>, String> known = new LinkedHashMap<>();
        known.put(ElectionState.Resting.class, "untilNanos tries");
        known.put(ElectionState.Ready.class, "tries");
        known.put(ElectionState.Claiming.class, "attempt sentNanos tries hinted");
        known.put(ElectionState.Unsettled.class, "untilNanos tries");
        known.put(ElectionState.Waiting.class, "");
        known.put(ElectionState.Raising.class, "grant attempt raised notBeforeNanos raiseByNanos");
        known.put(ElectionState.Leading.class, "grant");
        known.put(ElectionState.Draining.class, "grant loss then drain");
        known.put(ElectionState.Forsaken.class, "grant loss then sending");
        known.put(ElectionState.Releasing.class, "session shown sending then");
        known.put(ElectionState.Retired.class, "loss");
        known.put(ElectionState.Grant.class, "term session");
        known.put(ElectionState.Drain.class, "stage interruptAtNanos drainByNanos");
        known.put(ElectionState.Tries.class, "failures");
        known.put(ElectionState.Sending.class, "attempt againAtNanos");
        known.put(ElectionState.Then.StandAgain.class, "coolDownNanos");
        known.put(ElectionState.Then.Retire.class, "loss");
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
        List.of(ElectionState.class, ElectionState.Then.class, SessionState.class, SessionState.Beat.class)
                .forEach(Shapes::requireAllOf);
        KNOWN.forEach(Shapes::require);
    }

    private static void requireAllOf(Class<?> sealed) {
        for (Class<?> permitted : sealed.getPermittedSubclasses()) {
            if (!KNOWN.containsKey(permitted)) {
                throw new IllegalStateException("the explorer does not know the state " + permitted.getName()
                        + ": say in NodeScript how two of them are told apart");
            }
        }
    }

    private static void require(Class<?> type, String expected) {
        String found = componentsOf(type);
        if (!found.equals(expected)) {
            throw new IllegalStateException("the explorer knows " + type.getName() + " with (" + expected
                    + "), but it has (" + found + "): say in NodeScript how two of them are told apart");
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
