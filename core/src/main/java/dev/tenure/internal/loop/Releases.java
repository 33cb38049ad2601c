package dev.tenure.internal.loop;

import dev.tenure.internal.engine.ElectionEffect.SendRelease;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * How many releases may be under way at once. A client with thousands of elections closes in order instead of drowning its
 * store; a release that is asked for again while it still waits is only sent once.
 */
final class Releases {
    private static final int IN_FLIGHT_MAX = 512;

    private final Map<Candidate, SendRelease> waiting = new LinkedHashMap<>();
    private final Set<Candidate> inFlight = new HashSet<>();

    void ask(Candidate candidate, SendRelease release) {
        inFlight.remove(candidate); // asked again: the answer to the earlier one did not come in time
        if (waiting.isEmpty() && inFlight.size() < IN_FLIGHT_MAX) {
            send(candidate, release);
        } else {
            waiting.put(candidate, release);
            send();
        }
    }

    void answered(Candidate candidate) {
        inFlight.remove(candidate);
        send();
    }

    void clear() {
        waiting.clear();
        inFlight.clear();
    }

    private void send() {
        Iterator<Map.Entry<Candidate, SendRelease>> next = waiting.entrySet().iterator();
        while (inFlight.size() < IN_FLIGHT_MAX && next.hasNext()) {
            Map.Entry<Candidate, SendRelease> first = next.next();
            next.remove();
            send(first.getKey(), first.getValue());
        }
    }

    private void send(Candidate candidate, SendRelease release) {
        if (candidate.isReleasing(release)) {
            inFlight.add(candidate);
            candidate.release(release);
        }
    }
}
