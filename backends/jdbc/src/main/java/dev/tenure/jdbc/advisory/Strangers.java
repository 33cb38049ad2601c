package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import dev.tenure.spi.SessionEvents;
import java.util.HashMap;
import java.util.Map;

/**
 * Those who have a lock that is waited for and are no candidates: a script with the same number, or a person with a console.
 * Nobody here may end such a connection, so it is told to people, with what they can do. Loop-confined.
 */
final class Strangers {
    private final Member me;
    private final SessionEvents events;
    private final Map<ElectionName, Holder.Shown> suspected = new HashMap<>();
    private final Map<ElectionName, Holder.Shown> told = new HashMap<>();

    Strangers(Member me, SessionEvents events) {
        this.me = me;
        this.events = events;
    }

    /** Only the second look tells: between a lock and its row there is a moment for every leader. */
    void found(Map<ElectionName, Holder> holders) {
        Map<ElectionName, Holder.Shown> now = new HashMap<>();
        holders.forEach((election, holder) -> {
            if (holder.term().isEmpty()) {
                now.put(election, holder.shown());
            }
        });
        told.keySet().retainAll(now.keySet());
        now.forEach((election, stranger) -> {
            boolean stays = stranger.equals(suspected.get(election));
            if (stays && !stranger.equals(told.put(election, stranger))) {
                events.stuck(election, sentence(election, stranger));
            }
        });
        suspected.clear();
        suspected.putAll(now);
    }

    private String sentence(ElectionName election, Holder.Shown stranger) {
        return "STUCK_HOLDER: the advisory lock " + me.keys().of(election) + " of this election is held by a connection"
                + " that does not lead it: server process " + stranger.pid() + " (application_name: "
                + stranger.application()
                + ", user: " + stranger.user() + ", client_addr: " + stranger.address() + ", connected since "
                + stranger.since()
                + "). Nobody can lead before it lets go. If it is not wanted: SELECT pg_terminate_backend("
                + stranger.pid() + "); if it is, give the elections tables of another name (tenure.prefix), and with"
                + " them other locks";
    }
}
