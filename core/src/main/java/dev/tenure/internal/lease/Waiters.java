package dev.tenure.internal.lease;

import dev.tenure.ElectionName;
import dev.tenure.spi.Host;
import dev.tenure.spi.SessionEvents;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Which elections wait for which session to end: one timer per rival session, however many elections it holds. Nobody
 * tells when a process dies, so somebody has to look when its lease runs out.
 */
final class Waiters {
    /** Challengers that were told the same expiry must not all come in the same instant. */
    private static final long JITTER_NANOS = 20_000_000;

    private static final long RETRY_NANOS = 10 * JITTER_NANOS;

    private final Host host;
    private final Rivals rivals;
    private final SessionEvents events;
    private final Map<String, Set<ElectionName>> waiting = new HashMap<>();
    private final Map<ElectionName, String> waitsFor = new HashMap<>();
    private boolean closed;

    Waiters(Host host, Rivals rivals, SessionEvents events) {
        this.host = host;
        this.rivals = rivals;
        this.events = events;
    }

    void add(String session, ElectionName election, long recheckNanos) {
        String before = waitsFor.put(election, session);
        if (session.equals(before)) {
            return;
        }
        forget(before, election);
        Set<ElectionName> elections = waiting.get(session);
        if (elections == null) {
            elections = new LinkedHashSet<>();
            waiting.put(session, elections);
            arm(session, recheckNanos);
        }
        elections.add(election);
    }

    /** The election no longer waits for anybody. */
    void remove(ElectionName election) {
        forget(waitsFor.remove(election), election);
    }

    void close() {
        closed = true;
        waiting.clear();
        waitsFor.clear();
    }

    private void forget(@Nullable String session, ElectionName election) {
        Set<ElectionName> elections = session == null ? null : waiting.get(session);
        if (elections != null) {
            elections.remove(election);
        }
    }

    private void arm(String session, long atNanos) {
        long jitter = Long.remainderUnsigned(host.random(), JITTER_NANOS);
        host.wakeAt(atNanos + jitter, () -> check(session));
    }

    private void check(String session) {
        Set<ElectionName> elections = waiting.get(session);
        if (closed || elections == null) {
            return;
        }
        if (elections.isEmpty()) {
            waiting.remove(session);
            return;
        }
        CompletionStage<Rivals.Verdict> looking = rivals.lookAndEvict(session);
        looking.whenComplete((verdict, failure) -> {
            if (closed) {
                return;
            }
            if (failure != null) {
                arm(session, host.nanos() + RETRY_NANOS);
            } else if (verdict instanceof Rivals.Verdict.Alive alive) {
                arm(session, alive.recheckNanos());
            } else {
                waiting.remove(session);
                elections.forEach(election -> {
                    waitsFor.remove(election);
                    events.changed(election);
                });
            }
        });
    }
}
