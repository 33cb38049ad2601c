package dev.tenure.internal.loop;

import java.util.ArrayDeque;
import java.util.Queue;

/** How many claims of this process may be under way at once: a mass loss must not become a stampede. */
final class Admissions {
    private static final int CLAIMS_IN_FLIGHT_MAX = 512;

    private final Queue<Candidate> waiting = new ArrayDeque<>();
    private int inFlight;

    void ask(Candidate candidate) {
        waiting.add(candidate);
        admit();
    }

    void began() {
        inFlight++;
    }

    void ended() {
        inFlight--;
        admit();
    }

    private void admit() {
        while (inFlight < CLAIMS_IN_FLIGHT_MAX && !waiting.isEmpty()) {
            waiting.remove().admitted();
        }
    }
}
