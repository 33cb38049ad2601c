// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.detector;

import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Event;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.Machine;
import dev.tenure.algorithms.Step;
import dev.tenure.algorithms.Suspects;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A failure detector: every node notifies every other that it lives, and a node that is silent for long is suspected. It is a
 * machine beside that of the algorithm, with effects that only a detector has.
 *
 * <pre>
 * event          | effect
 * ---------------+-----------------------------------------------------------------
 * Started        | everybody counts as heard now; beat
 * beat fires     | a heartbeat to all others; who was silent for too long is suspected; beat again
 * a heartbeat    | its sender is heard now, and trusted again if it was suspected
 * anything else  | nothing
 * </pre>
 *
 * <p>It is complete (who crashed is suspected in the end) and accurate only as long as messages are faster than its patience: a slow
 * link, a pause or a partition look the same as a crash. No detector can do better without synchrony.
 */
public final class HeartbeatDetector implements Machine<HeartbeatDetector.State> {
    private static final String BEAT = "beat";

    private final Group group;
    private final long everyNanos;
    private final long patienceNanos;

    public HeartbeatDetector(Group group, Duration every, Duration patience) {
        if (patience.compareTo(every) <= 0) {
            throw new IllegalArgumentException("patience " + patience + " must be longer than a beat of " + every);
        }
        this.group = group;
        this.everyNanos = every.toNanos();
        this.patienceNanos = patience.toNanos();
    }

    /** @param heardNanos when each peer was heard for the last time */
    public record State(Map<Integer, Long> heardNanos, Set<Integer> suspected) {}

    @Override
    public State initial() {
        return new State(Map.of(), Suspects.NONE);
    }

    @Override
    public Step<State> on(State state, Event event, long nowNanos) {
        if (event instanceof Event.Started) {
            Map<Integer, Long> heard = new TreeMap<>();
            group.others().forEach(id -> heard.put(id, nowNanos));
            return beat(new State(heard, Suspects.NONE), nowNanos);
        }
        if (event instanceof Event.TimerFired fired && fired.timer().equals(BEAT)) {
            return beat(state, nowNanos);
        }
        if (event instanceof Event.Received received && received.message() instanceof Heartbeat) {
            return heard(state, received.from(), nowNanos);
        }
        return Step.to(state);
    }

    private Step<State> beat(State state, long nowNanos) {
        List<Effect> effects = new ArrayList<>(Group.send(group.others(), new Heartbeat()));
        Set<Integer> suspected = state.suspected();
        for (Map.Entry<Integer, Long> each : state.heardNanos().entrySet()) {
            if (nowNanos - each.getValue() > patienceNanos && !suspected.contains(each.getKey())) {
                suspected = Suspects.with(suspected, each.getKey());
                effects.add(new Effect.Suspect(each.getKey()));
            }
        }
        effects.add(Effect.SetTimer.exactly(BEAT, everyNanos));
        return Step.to(new State(state.heardNanos(), suspected), effects);
    }

    private static Step<State> heard(State state, int from, long nowNanos) {
        Map<Integer, Long> heard = new TreeMap<>(state.heardNanos());
        heard.put(from, nowNanos);
        if (!state.suspected().contains(from)) {
            return Step.to(new State(heard, state.suspected()));
        }
        return Step.to(new State(heard, Suspects.without(state.suspected(), from)), new Effect.Trust(from));
    }
}
