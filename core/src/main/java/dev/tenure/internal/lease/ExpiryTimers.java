// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import dev.tenure.ElectionName;
import dev.tenure.spi.Host;
import dev.tenure.spi.SessionEvents;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which elections wait for which session to end: one timer per rival session, however many elections it holds. Nobody
 * tells when a process dies, so another process has to check when its lease runs out.
 */
final class ExpiryTimers {
    /** Challengers that received the same expiry must not all come in the same instant. */
    private static final long JITTER_NANOS = 20_000_000;

    private static final long RETRY_NANOS = 10 * JITTER_NANOS;

    private final Host host;
    private final PeerSessions peers;
    private final SessionEvents events;
    private final Map<String, Set<ElectionName>> waiting = new HashMap<>();
    private final Map<ElectionName, Holder> waitsFor = new HashMap<>();
    private final long ttlNanos;
    private boolean closed;

    /** Whom an election waits for. */
    record Holder(String session, long token) {}

    ExpiryTimers(Host host, PeerSessions peers, SessionEvents events, long ttlNanos) {
        this.host = host;
        this.peers = peers;
        this.events = events;
        this.ttlNanos = ttlNanos;
    }

    void add(Holder holder, ElectionName election, long recheckNanos) {
        String session = holder.session;
        Holder before = waitsFor.put(election, holder);
        if (before != null && session.equals(before.session)) {
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

    Optional<Holder> holderOf(ElectionName election) {
        return Optional.ofNullable(waitsFor.get(election));
    }

    Set<ElectionName> elections() {
        return waitsFor.keySet();
    }

    /** Those that have something that is waited for. */
    Set<String> sessions() {
        return waitsFor.values().stream().map(Holder::session).collect(Collectors.toSet());
    }

    List<ElectionName> waitingFor(String session) {
        return List.copyOf(waiting.getOrDefault(session, Set.of()));
    }

    void close() {
        closed = true;
        waiting.clear();
        waitsFor.clear();
    }

    private void forget(@Nullable Holder holder, ElectionName election) {
        Set<ElectionName> elections = holder == null ? null : waiting.get(holder.session);
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
        // Without that list its order of claims is only worse: what counts is whether the holder is silent.
        CompletionStage<PeerSessions.Verdict> looking = peers.lookAround(ttlNanos)
                .exceptionally(failure -> null)
                .thenCompose(done -> peers.lookWhenDue(session));
        looking.whenComplete((verdict, failure) -> {
            if (closed) {
                return;
            }
            if (failure != null) {
                arm(session, host.nanos() + RETRY_NANOS);
            } else if (verdict instanceof PeerSessions.Verdict.Alive alive) {
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
