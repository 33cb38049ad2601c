package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Grade;
import dev.tenure.Nonce;
import dev.tenure.Scope;
import dev.tenure.jdbc.PostgresPlace;
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
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Elections as advisory locks of PostgreSQL 14 or newer. A session is a physical connection, never one of a pool; who has the
 * lock of an election leads it, and its row counts the terms. Loop-confined, except for {@link #traits}, {@link #watch} and
 * {@link #close}.
 */
public final class AdvisoryBackend implements Backend {
    private static final Duration TTL_MIN = Duration.ofMillis(500);
    private static final Duration TTL_MAX = Duration.ofHours(1);

    private final PostgresPlace place;
    private final Tables tables;
    private final Store store;
    private final Set<AdvisorySession> sessions = ConcurrentHashMap.newKeySet();
    private volatile BackendTraits traits;

    /** What sessions share. */
    record Store(
            Host host,
            Switchboard switchboard,
            Statements statements,
            Trouble trouble,
            Claims claims,
            Heartbeat heartbeat,
            Looks looks,
            Desk desk,
            Hearing hearing,
            Consumer<AdvisorySession> whenClosed) {
        /** The same answer, on the loop. */
        <T> CompletableFuture<T> onLoop(CompletableFuture<T> answer) {
            CompletableFuture<T> there = new CompletableFuture<>();
            CompletableFuture<T> here = answer.whenComplete((reply, failure) -> host.post(() -> {
                if (failure == null) {
                    there.complete(reply);
                } else {
                    there.completeExceptionally(failure);
                }
            }));
            Aside.run("an answer", here);
            return there;
        }

        void closed(AdvisorySession session) {
            whenClosed.accept(session);
        }
    }

    AdvisoryBackend(PostgresPlace place, Host host) {
        this.place = place;
        this.tables = new Tables(place);
        Trouble trouble = new Trouble(place, tables);
        Switchboard switchboard = new Switchboard(place, trouble, host);
        Statements statements = new Statements(tables);
        this.store = new Store(
                host,
                switchboard,
                statements,
                trouble,
                new Claims(statements, trouble, place),
                new Heartbeat(statements, trouble),
                new Looks(statements),
                new Desk(switchboard, this::settle, trouble, host),
                new Hearing(switchboard, tables.channel(), host),
                sessions::remove);
        this.traits = traits(Grade.B, "C unless there is a synchronous standby; the database was not asked yet");
    }

    private BackendTraits traits(Grade grade, String reason) {
        return BackendTraits.of(place.shown() + " (advisory locks)")
                .grade(grade, reason)
                .scope(Scope.CLUSTER)
                .ttl(TTL_MIN, TTL_MAX)
                .expiry(BackendTraits.ExpiryJudge.SERVER_TTL)
                .tokens(BackendTraits.TokenSource.COUNTER)
                .wakeup(BackendTraits.Wakeup.WATCH)
                .build();
    }

    static String freshId(Host host) {
        return new Nonce(host.random(), host.random()).toString();
    }

    /** The grade is known for certain once there was a connection: a session was opened, or somebody looked. */
    @Override
    public BackendTraits traits() {
        return traits;
    }

    @Override
    public CompletionStage<BackendSession> open(SessionRequest request, SessionEvents events) {
        CompletableFuture<BackendSession> opened = new CompletableFuture<>();
        store.host().io().execute(() -> {
            try {
                Line line = store.switchboard().open(request.ttl());
                prepare(line, request, events, opened);
            } catch (SQLException failure) {
                opened.completeExceptionally(store.trouble().beforeAnyEffect(failure));
            } catch (RuntimeException | Error failure) {
                opened.completeExceptionally(failure);
            }
        });
        return opened;
    }

    private void prepare(
            Line line, SessionRequest request, SessionEvents events, CompletableFuture<BackendSession> opened)
            throws SQLException {
        try {
            Tables.Found found = line.now(this::settle);
            int locksMax = line.now(Switchboard::lockRoom);
            Member me = new Member(freshId(store.host()), found.era().storeId(), request.ttl(), found.keys(), locksMax);
            store.host().post(() -> {
                AdvisorySession session = new AdvisorySession(store, me, found.era(), line, events);
                sessions.add(session);
                opened.complete(session);
            });
        } catch (SQLException | RuntimeException failure) {
            line.end("of no use");
            throw failure;
        }
    }

    /** First on every new connection: what is missing is made, and the server asked what it can promise. */
    private Tables.Found settle(Connection connection) throws SQLException {
        Tables.Found found = tables.ensure(connection, freshId(store.host()));
        traits = graded(connection);
        return found;
    }

    /** As the server is set now; who changes that while candidates run has to restart them. */
    private BackendTraits graded(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(place.asksForSynchronousStandby())) {
            return rows.next() && rows.getInt(1) == 1
                    ? traits(Grade.B, "a server that crashes, or ends a connection, frees its locks early")
                    : traits(
                            Grade.C,
                            "a server that crashes, or ends a connection, frees its locks early, and a failover to a standby"
                                    + " that lacks the last writes may forget the last tokens");
        }
    }

    @Override
    public CompletionStage<Observation> read(ElectionName election) {
        return store.desk().ask(connection -> store.looks().read(connection, election));
    }

    @Override
    public CompletionStage<List<Observation>> list() {
        return store.desk().ask(connection -> store.looks().list(connection));
    }

    @Override
    public Watch watch(Consumer<ElectionName> changed) {
        return store.hearing().add(notice -> {
            if (notice instanceof Notice.Claimed claimed) {
                changed.accept(claimed.election());
            } else if (notice instanceof Notice.Released released) {
                changed.accept(released.election());
            }
        });
    }

    /** One for an election that nobody ever held has nobody to obey it, and is not kept. */
    @Override
    public CompletionStage<Void> request(OperatorRequest request) {
        return store.desk()
                .ask(connection -> {
                    try (PreparedStatement statement =
                            connection.prepareStatement(store.statements().request())) {
                        statement.setString(1, request.verb().name());
                        statement.setLong(2, request.token().value());
                        statement.setString(3, request.by());
                        statement.setString(4, request.election().encoded());
                        statement.executeQuery().close();
                        return true;
                    }
                })
                .thenApply(asked -> null);
    }

    @Override
    public CompletionStage<StoreEra> era() {
        return store.desk()
                .ask(connection ->
                        tables.ensure(connection, freshId(store.host())).era());
    }

    @Override
    public CompletionStage<StoreEra> raiseEra(int atLeast) {
        if (atLeast < 0 || atLeast > FencingToken.ERA_MAX) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("era " + atLeast + " is outside 0.." + FencingToken.ERA_MAX));
        }
        return store.desk().ask(connection -> {
            try (PreparedStatement statement =
                    connection.prepareStatement(store.statements().raiseEra())) {
                statement.setInt(1, atLeast);
                try (ResultSet rows = statement.executeQuery()) {
                    rows.next();
                    return new StoreEra(rows.getString(1), rows.getInt(2));
                }
            }
        });
    }

    @Override
    public void close() {
        store.hearing().close();
        store.desk().close();
        store.host()
                .post(() -> List.copyOf(sessions).forEach(session -> {
                    sessions.remove(session);
                    session.linger();
                }));
    }
}
