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
    private final Map<News, List<String>> news = new HashMap<>();

    /** @param what as in {@link Notice} */
    private record News(Line line, String what) {}

    Herald(AdvisoryBackend.Store store) {
        this.store = store;
    }

    void won(Line line, ElectionName election) {
        add(new News(line, "c " + line.identity().key() + " "), List.of(election.encoded()));
    }

    /** Of elections that somebody has already who waited for them. */
    void released(Line line, List<String> elections) {
        if (!elections.isEmpty()) {
            add(new News(line, "r "), elections);
        }
    }

    private void add(News heading, List<String> elections) {
        if (news.isEmpty()) {
            store.host().wakeAt(store.host().nanos() + MOMENT_NANOS, this::announce);
        }
        news.computeIfAbsent(heading, first -> new ArrayList<>()).addAll(elections);
    }

    /** A hint that is lost is made up for by the poll. */
    private void announce() {
        news.forEach((heading, elections) -> Aside.run(
                "announcing",
                heading.line.run(connection -> store.claims().announce(connection, heading.what, elections))));
        news.clear();
    }
}
