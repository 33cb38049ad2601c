// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.jdbc.JdbcTarget;
import dev.tenure.jdbc.NotificationListener;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.Host;
import dev.tenure.spi.Observation;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.SessionRequest;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Watch;
import dev.tenure.spi.support.BlockingCalls;
import dev.tenure.spi.support.EraRecord;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Elections as advisory locks of PostgreSQL 14 or newer. A session is a physical connection, never one of a pool. The session that
 * has the lock of an election leads it, and its row counts the terms. Loop-confined, except for {@link #traits}, {@link #watch} and
 * {@link #close}.
 */
public final class AdvisoryBackend implements Backend {
    private final JdbcTarget target;
    private final AdvisoryErrors errors;
    private final Context context;
    /** For those who look and ask without a session: one connection, made when it is needed. */
    private final BlockingCalls calls;

    private volatile Optional<LockConnection> observer = Optional.empty();
    private volatile boolean closed;
    private final Set<AdvisorySession> sessions = ConcurrentHashMap.newKeySet();
    private volatile BackendTraits traits;

    /** What sessions share. */
    record Context(
            Host host,
            ElectionTables tables,
            LockConnection.Factory connections,
            ClaimSql claims,
            ElectionSql elections,
            NotificationListener notifications) {}

    AdvisoryBackend(JdbcTarget target, Host host) {
        this.target = target;
        ElectionTables tables = new ElectionTables(target.options());
        this.errors = new AdvisoryErrors(target, tables);
        LockConnection.Factory connections = new LockConnection.Factory(target, errors, host);
        this.context = new Context(
                host,
                tables,
                connections,
                new ClaimSql(target.dialect(), tables, errors),
                new ElectionSql(tables, errors),
                new NotificationListener(connections::openPlain, tables.channel(), host));
        this.calls = new BlockingCalls(host.io(), 1);
        this.traits = traits(Grade.B, "C unless there is a synchronous standby; the database was not asked yet");
    }

    private BackendTraits traits(Grade grade, String reason) {
        return BackendTraits.of(target + " (advisory locks)")
                .grade(grade, reason)
                .scope(Scope.CLUSTER)
                .ttl(Duration.ofMillis(500), Duration.ofHours(1))
                .expiry(BackendTraits.ExpiryDetection.SERVER_TTL)
                .tokens(BackendTraits.TokenSource.COUNTER)
                .wakeup(BackendTraits.Wakeup.WATCH)
                .build();
    }

    /** The grade is known for certain once there was a connection: a session was opened, or somebody looked. */
    @Override
    public BackendTraits traits() {
        return traits;
    }

    @Override
    public CompletionStage<BackendSession> open(SessionRequest request, SessionEvents events) {
        return new BlockingCalls(context.host().io(), 1)
                .call(() -> connect(request.ttl()))
                .thenApplyAsync(made -> begin(made, events), context.host()::post);
    }

    private AdvisorySession begin(Connected made, SessionEvents events) {
        AdvisorySession session = new AdvisorySession(context, made.me, made.connection, events, sessions::remove);
        sessions.add(session);
        return session;
    }

    private record Connected(LockConnection connection, AdvisorySession.Info me) {}

    private Connected connect(Duration ttl) {
        return prepared(Optional.of(ttl), connection -> {
            ElectionTables.Found found = connection.now(this::setUp);
            int locksMax = connection.now(LockConnection.Factory::lockRoom);
            return new Connected(
                    connection, new AdvisorySession.Info(freshId(), found.era(), ttl, found.keys(), locksMax));
        });
    }

    /** Makes a connection ready for its use. */
    private interface Preparation<T> {
        T on(LockConnection fresh) throws SQLException;
    }

    /** With a new connection, which ends if it cannot be made ready. */
    private <T> T prepared(Optional<Duration> ttl, Preparation<T> preparation) {
        try {
            LockConnection fresh = context.connections().open(ttl);
            try {
                return preparation.on(fresh);
            } catch (SQLException | RuntimeException failure) {
                fresh.end("of no use");
                throw failure;
            }
        } catch (SQLException failure) {
            throw errors.beforeAnyEffect(failure);
        }
    }

    private String freshId() {
        return EraRecord.fresh(context.host()).storeId();
    }

    /** First on every new connection: what is missing is made, and the server asked what it can promise. */
    private ElectionTables.Found setUp(Connection connection) throws SQLException {
        ElectionTables.Found found = context.tables().ensure(connection, freshId(), errors);
        String early = "a server that crashes, or ends a connection, frees its locks early";
        traits = target.dialect().hasSynchronousStandby(connection)
                ? traits(Grade.B, early)
                : traits(
                        Grade.C,
                        early + ", and a failover to a standby that lacks the last writes may forget the last tokens");
        return found;
    }

    private <T> CompletionStage<T> ask(LockConnection.Work<T> work) {
        return calls.call(() -> observer().judged(work));
    }

    private LockConnection observer() {
        return observer.filter(open -> !open.isEnded())
                .orElseGet(() -> prepared(Optional.empty(), fresh -> {
                    observer = Optional.of(fresh);
                    if (closed) {
                        fresh.end("closed");
                    }
                    fresh.now(this::setUp);
                    return fresh;
                }));
    }

    @Override
    public CompletionStage<Observation> read(ElectionName election) {
        return ask(connection -> context.elections()
                .find(connection, election)
                .map(ElectionSql.ElectionRow::observation)
                .orElseGet(() -> new Observation(election, Optional.empty(), 0)));
    }

    @Override
    public CompletionStage<List<Observation>> list() {
        return ask(context.elections()::list);
    }

    @Override
    public Watch watch(Consumer<ElectionName> changed) {
        Watch watch = context.notifications()
                .add(text -> Notification.of(text).ifPresent(notification -> {
                    if (notification instanceof Notification.Claimed claimed) {
                        changed.accept(claimed.election());
                    } else if (notification instanceof Notification.Released released) {
                        changed.accept(released.election());
                    }
                }));
        context.notifications().start();
        return watch;
    }

    @Override
    public CompletionStage<Void> request(OperatorRequest request) {
        return ask(connection -> context.elections().request(connection, request))
                .thenApply(asked -> null);
    }

    @Override
    public CompletionStage<StoreEra> era() {
        return ask(connection ->
                context.tables().ensure(connection, freshId(), errors).era());
    }

    @Override
    public CompletionStage<StoreEra> raiseEra(int atLeast) {
        return ask(connection -> context.elections()
                .raiseEra(connection, FencingToken.of(atLeast, 1).era()));
    }

    @Override
    public void close() {
        context.notifications().close();
        closed = true;
        calls.close();
        observer.ifPresent(open -> open.end("closed"));
        context.host()
                .post(() -> List.copyOf(sessions).forEach(session -> {
                    sessions.remove(session);
                    session.linger();
                }));
    }
}
