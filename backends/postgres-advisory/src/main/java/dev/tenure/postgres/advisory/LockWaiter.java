// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import dev.tenure.ElectionName;
import dev.tenure.jdbc.SqlCall;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.Stages;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The second connection of a session: it always waits for one thing, and what that is can be changed. Loop-confined.
 *
 * <p>A wait that is no longer wanted is cancelled, and the next one begins when it has surely ended: a cancelled wait may have
 * brought its lock a moment before, and that is told.
 */
final class LockWaiter {
    private static final Logger LOG = System.getLogger("dev.tenure");
    private static final long CANCEL_AGAIN_NANOS = 100_000_000;
    private static final long REST_NANOS_MAX = 1_000_000_000;
    /** As long as a statement runs, VACUUM keeps what it could see: after this time it begins anew. */
    private static final long SLICE_MILLIS = 300_000;

    private final AdvisoryBackend.Context context;
    private final Host host;
    private final AdvisorySession.Info me;
    private final SessionClaims claims;
    private Target target = new Target.Nothing();
    private Optional<Wait> running = Optional.empty();
    private Optional<LockConnection> spare = Optional.empty();
    private final Set<LockConnection> coming = new HashSet<>();
    private CompletableFuture<Void> cancelling = CompletableFuture.completedFuture(null);
    private boolean resting;
    private boolean closed;

    /** What is waited for. */
    sealed interface Target {
        record Nothing() implements Target {}

        /** The end of a connection, of another process or of this one: its own lock becomes free. */
        record ConnectionEnd(long key) implements Target {}

        /** An election, in the server's queue for its lock. */
        record Turn(ClaimRequest request) implements Target {}

        default boolean isTurnOf(ElectionName election) {
            return this instanceof Turn turn && turn.request().election().equals(election);
        }
    }

    /** @param claims told on the loop */
    LockWaiter(AdvisoryBackend.Context context, AdvisorySession.Info me, SessionClaims claims) {
        this.context = context;
        this.host = context.host();
        this.me = me;
        this.claims = claims;
    }

    Target target() {
        return target;
    }

    /** May a wait for this election still be granted its lock? */
    boolean mayWin(ElectionName election) {
        return running.filter(wait -> wait.target.isTurnOf(election)).isPresent();
    }

    /** The server process that waits, or 0. */
    int pid() {
        return running.flatMap(Wait::connection)
                .map(connection -> connection.identity().pid())
                .orElse(0);
    }

    void waitFor(Target next) {
        if (next.equals(target) || closed) {
            return;
        }
        target = next;
        running.ifPresentOrElse(this::stop, this::begin);
    }

    /** Waits for nothing any more; completed on the loop when this is so. */
    CompletableFuture<Void> halt() {
        waitFor(new Target.Nothing());
        return running.map(wait -> wait.over).orElseGet(() -> CompletableFuture.completedFuture(null));
    }

    /** A connection that has nothing any more waits from now on, behind what is still being said on it. */
    void inherit(LockConnection connection) {
        if (closed) {
            connection.end("the session is over");
            return;
        }
        coming.add(connection);
        Stages.ignore("changing over", connection.run(open -> true).whenComplete((done, failure) -> {
            coming.remove(connection);
            keep(connection);
            begin();
        }));
    }

    /** A connection that nobody needs. */
    private void keep(LockConnection connection) {
        if (closed || spare.isPresent() || connection.isEnded()) {
            connection.end("not needed");
        } else {
            spare = Optional.of(connection);
        }
    }

    /** The server does not know of this wait: its connection has died without a word. */
    void restart() {
        running.flatMap(Wait::connection).ifPresent(connection -> connection.end("the server does not wait for it"));
    }

    void close() {
        closed = true;
        target = new Target.Nothing();
        running.ifPresent(wait -> wait.stopped = true);
        List<LockConnection> connections = new ArrayList<>(coming);
        running.flatMap(Wait::connection).ifPresent(connections::add);
        spare.ifPresent(connections::add);
        host.io().execute(() -> connections.forEach(connection -> connection.end("the session is over")));
    }

    private void begin() {
        if (running.isPresent() || closed || resting || !coming.isEmpty() || target instanceof Target.Nothing) {
            return;
        }
        Wait wait = new Wait(target, spare);
        spare = Optional.empty();
        running = Optional.of(wait);
        host.runDuty("tenure-wait", () -> {
            Runnable telling = wait.run();
            // Not while somebody may still cancel what runs on its connection: that would be the next one.
            host.post(() -> Stages.ignore("the end of a wait", cancelling.thenRun(() -> over(wait, telling))));
        });
    }

    /** Again and again, because what is cancelled too early goes on. */
    private void stop(Wait wait) {
        wait.stopped = true;
        if (running.filter(wait::equals).isEmpty()) {
            return;
        }
        if (cancelling.isDone()) {
            CompletableFuture<Void> done = new CompletableFuture<>();
            cancelling = done;
            host.io().execute(() -> {
                wait.connection().ifPresent(LockConnection::cancel);
                host.post(() -> done.complete(null));
            });
        }
        host.wakeAt(host.nanos() + CANCEL_AGAIN_NANOS, () -> stop(wait));
    }

    private void over(Wait wait, Runnable telling) {
        running = Optional.empty();
        if (!wait.hasWon) {
            wait.connection().ifPresent(this::keep);
        }
        if (wait.hasReached && target.equals(wait.target)) {
            target = new Target.Nothing(); // it is not waited for again
        }
        telling.run();
        wait.over.complete(null);
        begin();
    }

    /** One stay inside the server's queue for a lock, on a thread that does nothing else. */
    private final class Wait {
        private final Target target;
        /** Completed on the loop, after what it brought was heard. */
        private final CompletableFuture<Void> over = new CompletableFuture<>();

        private volatile Optional<LockConnection> connection;
        /** From now on it does not begin anew; what runs has to be cancelled. */
        private volatile boolean stopped;

        private volatile boolean hasReached;
        private volatile boolean hasWon;

        /** @param connection one that has no election, if there is one */
        Wait(Target target, Optional<LockConnection> connection) {
            this.target = target;
            this.connection = connection;
        }

        Optional<LockConnection> connection() {
            return connection.filter(known -> !known.isEnded());
        }

        /** Returns what is to be done on the loop. */
        Runnable run() {
            try {
                if (connection().isEmpty()) {
                    connection = Optional.of(context.connections().open(Optional.of(me.ttl())));
                }
                LockConnection used = connection().orElseThrow(AdvisoryErrors::over);
                return used.now(open -> stay(used, open));
            } catch (SQLException | BackendException failure) {
                LOG.log(Level.DEBUG, "not waiting for a lock for a moment, only asking", failure);
                connection().ifPresent(broken -> broken.end("it could not wait"));
                return () -> { // a server that lets nobody wait is not asked again at once
                    resting = true;
                    host.wakeAt(host.nanos() + Math.min(REST_NANOS_MAX, me.ttl().toNanos() / 4), () -> {
                        resting = false;
                        begin();
                    });
                    claims.waitBroken();
                };
            }
        }

        private Runnable stay(LockConnection used, Connection open) throws SQLException {
            int ttlMillis = Math.toIntExact(me.ttl().toMillis());
            open.setNetworkTimeout(Runnable::run, Math.toIntExact(SLICE_MILLIS) + ttlMillis);
            LockConnection.Factory.set(open, Map.of("lock_timeout", Long.toString(SLICE_MILLIS)));
            while (!stopped) {
                try {
                    if (target instanceof Target.Turn turn) {
                        ClaimSql.Outcome outcome = context.claims().await(used, open, me, turn.request());
                        open.setNetworkTimeout(Runnable::run, ttlMillis);
                        hasWon = outcome instanceof ClaimSql.Outcome.Won;
                        hasReached = true;
                        return () -> claims.turnCame(used, outcome);
                    }
                    long key = ((Target.ConnectionEnd) target).key();
                    new SqlCall("SELECT pg_advisory_lock_shared(?)", key).rows(open, row -> 1);
                    new SqlCall("SELECT pg_advisory_unlock_shared(?)", key).rows(open, row -> 1);
                    hasReached = true;
                    return () -> claims.connectionEnded(key);
                } catch (SQLException failure) {
                    if (!AdvisoryErrors.is(AdvisoryErrors.LOCK_TIMEOUT, failure)
                            && !AdvisoryErrors.is(AdvisoryErrors.CANCELLED, failure)) {
                        throw failure;
                    }
                }
            }
            return () -> {};
        }
    }

    /**
     * The elections that a session waits for, and whose connection has them; decides what the second connection waits for.
     * Loop-confined.
     */
    static final class AwaitedElections {
        /** An election that is not asked for again is no longer awaited here: with very many elections the poll takes its time. */
        private static final long NANOS_PER_ELECTION = 10_000_000;

        private final long ttlNanos;
        private final Map<ElectionName, Awaited> awaited = new LinkedHashMap<>();

        /** @param holder the lock of the connection that has it */
        private record Awaited(ClaimRequest request, OptionalLong holder, long askedNanos) {}

        AwaitedElections(long ttlNanos) {
            this.ttlNanos = ttlNanos;
        }

        void add(ClaimRequest request, OptionalLong holder, long nowNanos) {
            awaited.put(request.election(), new Awaited(request, holder, nowNanos));
        }

        /** Was it waited for? */
        boolean remove(ElectionName election) {
            return awaited.remove(election) != null;
        }

        /** One of each connection that has some, and all of which nobody is known to have them. */
        List<ElectionName> ofEachHolder() {
            Set<Long> holders = new HashSet<>();
            return awaited.values().stream()
                    .filter(known -> known.holder.isEmpty() || holders.add(known.holder.getAsLong()))
                    .map(known -> known.request.election())
                    .toList();
        }

        /** Somebody else has it now. */
        void claimed(ElectionName election, long holder) {
            awaited.computeIfPresent(
                    election, (name, known) -> new Awaited(known.request, OptionalLong.of(holder), known.askedNanos));
        }

        /** Those that this connection had. They are not waited for any more until they are claimed again. */
        List<ElectionName> takeThoseOf(long holder) {
            List<ElectionName> found = awaited.values().stream()
                    .filter(known -> known.holder.equals(OptionalLong.of(holder)))
                    .map(known -> known.request.election())
                    .toList();
            found.forEach(awaited::remove);
            return found;
        }

        List<ElectionName> takeAll() {
            List<ElectionName> all = List.copyOf(awaited.keySet());
            awaited.clear();
            return all;
        }

        /**
         * One election, and nothing held: in its queue, so that the connection that wins it becomes the session. Else the end of
         * the connection that has most of them, because that comes without a word. If there is none, the end of my own.
         *
         * @param free does this session hold nothing?
         */
        Target target(boolean free, long ownKey, long nowNanos) {
            long oldestNanos = nowNanos - 4 * ttlNanos - awaited.size() * NANOS_PER_ELECTION;
            awaited.values().removeIf(known -> known.askedNanos - oldestNanos < 0);
            if (free && awaited.size() == 1) {
                return new Target.Turn(awaited.values().iterator().next().request);
            }
            Map<Long, Integer> counts = new HashMap<>();
            awaited.values().forEach(known -> known.holder.ifPresent(key -> counts.merge(key, 1, Integer::sum)));
            return new Target.ConnectionEnd(counts.entrySet().stream()
                    .max(Map.Entry.comparingByValue())
                    .map(Map.Entry::getKey)
                    .orElse(ownKey));
        }
    }
}
