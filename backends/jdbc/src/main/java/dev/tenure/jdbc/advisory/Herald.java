package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Announces who has won, a moment later and many at once: those who hear of it are not to get into the way of the one who has
 * won. Loop-confined.
 */
final class Herald {
    static final long MOMENT_NANOS = 2_000_000;

    private final AdvisoryBackend.Store store;
    private final Map<Line, List<String>> news = new HashMap<>();

    Herald(AdvisoryBackend.Store store) {
        this.store = store;
    }

    void won(Line line, ElectionName election) {
        if (news.isEmpty()) {
            store.host().wakeAt(store.host().nanos() + MOMENT_NANOS, this::announce);
        }
        news.computeIfAbsent(line, first -> new ArrayList<>()).add(election.encoded());
    }

    /** A hint that is lost is made up for by the poll. */
    private void announce() {
        news.forEach((line, elections) -> {
            String what = "c " + line.identity().key() + " ";
            Aside.run("announcing", line.run(connection -> store.claims().announce(connection, what, elections)));
        });
        news.clear();
    }
}
