// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A raise waits for the transactions that are open when it comes, and not for those that come after it. */
@Tag("server")
class BusyWritersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Term OLD = Terms.of(5);
    private static final Term NEW = Terms.of(6);
    private static final double WORK_SECONDS = 0.05;

    /** How a transaction goes through the fence that works for much longer than it takes to begin the next one. */
    enum Way {
        WRITE {
            @Override
            void write(Writer writer, String line) throws SQLException, StaleTokenException {
                writer.fence.write(OLD, connection -> {
                    Sql.execute(connection, writer.work());
                    GuardedTable.insert(writer.ledger, line).run(connection);
                });
            }
        },
        UPDATE {
            @Override
            void write(Writer writer, String line) throws SQLException, StaleTokenException {
                writer.fence.update(
                        OLD,
                        "INSERT INTO " + writer.ledger + " (line) SELECT ? FROM (" + writer.work() + ") AS work",
                        line);
            }
        },
        TRIGGERS {
            @Override
            void write(Writer writer, String line) throws SQLException, StaleTokenException {
                Connection connection = writer.connection;
                connection.setAutoCommit(false);
                try {
                    TriggeredTable.present(writer.database, connection, writer.resource, OLD);
                    GuardedTable.insert(writer.ledger, line).run(connection);
                    Sql.execute(connection, writer.work());
                    connection.commit();
                } catch (SQLException failure) {
                    throw TriggerRejection.translated(failure, writer.resource, OLD);
                } finally {
                    connection.rollback();
                    connection.setAutoCommit(true);
                }
            }
        };

        abstract void write(Writer writer, String line) throws SQLException, StaleTokenException;
    }

    /** A leader on a connection of its own. */
    private static final class Writer implements AutoCloseable {
        final Database database;
        final String resource;
        final String ledger;
        final Connection connection;
        final FencedSql fence;
        final String id;
        /** Of the next transaction. */
        double workSeconds = WORK_SECONDS;

        Writer(Database database, String resource, String ledger) throws SQLException {
            this.database = database;
            this.resource = resource;
            this.ledger = ledger;
            this.connection = database.connect();
            this.fence = FencedSql.guarding(Always.the(connection), resource);
            this.id = database.idOf(connection);
        }

        String work() {
            return (database == Database.MARIADB ? "SELECT SLEEP(" : "SELECT pg_sleep(") + workSeconds + ")";
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }

    private final String resource = Database.freshName("busy");
    private final ExecutorService threads = Executors.newCachedThreadPool();

    static Stream<Arguments> crowds() {
        return Stream.of(Database.POSTGRESQL, Database.MARIADB)
                .flatMap(database -> Stream.of(Way.values())
                        .flatMap(way -> Stream.of(2, 8, 32).map(writers -> Arguments.of(database, way, writers))));
    }

    /** The first works of the writers are of different lengths, so that their transactions overlap also if they are only two. */
    @ParameterizedTest
    @MethodSource("crowds")
    void a_raise_is_not_starved_by_writers_of_a_lost_term(Database database, Way way, int count) throws Exception {
        String ledger = fenced(database, way);
        List<Writer> writers = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                Writer writer = new Writer(database, resource, ledger);
                writer.workSeconds = WORK_SECONDS * (i + 1) / count;
                writers.add(writer);
            }
            CountDownLatch allHaveWritten = new CountDownLatch(count);
            List<CompletableFuture<Integer>> accepted = writers.stream()
                    .map(writer -> start(() -> writeUntilRefused(way, writer, allHaveWritten)))
                    .toList();
            assertThat(allHaveWritten.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();

            FencedSql.guarding(database.source(), resource).raise(NEW);
            int sealed = database.lines(ledger).size();

            int sum = 0;
            for (CompletableFuture<Integer> each : accepted) {
                sum += each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            assertThat(sealed).isEqualTo(sum);
            assertThat(database.lines(ledger)).hasSize(sum);
        } finally {
            threads.shutdownNow();
            for (Writer writer : writers) {
                writer.close();
            }
        }
    }

    private static int writeUntilRefused(Way way, Writer writer, CountDownLatch allHaveWritten) throws Exception {
        int accepted = 0;
        while (true) {
            try {
                way.write(writer, "line " + accepted);
                if (accepted++ == 0) {
                    writer.workSeconds = WORK_SECONDS;
                    allHaveWritten.countDown();
                }
            } catch (StaleTokenException refused) {
                return accepted;
            }
        }
    }

    static Stream<Arguments> matrix() {
        return Stream.of(Database.POSTGRESQL, Database.MARIADB)
                .flatMap(database -> Stream.of(Way.values())
                        .flatMap(way -> Stream.of(Isolation.values())
                                .map(isolation -> Arguments.of(database, way, isolation))));
    }

    /** It is parked while the raise waits and commits: what it compares with must be newer than what it waited for. */
    @ParameterizedTest
    @MethodSource("matrix")
    void a_writer_that_comes_after_a_raise_waits_behind_it_and_is_refused(
            Database database, Way way, Isolation isolation) throws Exception {
        String ledger = fenced(database, way);
        try (Writer first = new Writer(database, resource, ledger);
                Writer raiser = new Writer(database, resource, ledger);
                Writer later = new Writer(database, resource, ledger)) {
            later.connection.setTransactionIsolation(isolation.level);
            way.write(later, "before");
            first.connection.setAutoCommit(false);
            first.fence.enter(first.connection, OLD);
            CompletableFuture<Integer> raising = start(() -> {
                raiser.fence.raiseWithin(PATIENCE).raise(NEW);
                return 0;
            });
            awaitWaiting(raising, raiser);

            CompletableFuture<Integer> writing = start(() -> {
                way.write(later, "late");
                return 0;
            });
            awaitWaiting(writing, later);

            assertThat(raising).isNotDone();
            assertThat(writing).isNotDone();
            GuardedTable.insert(ledger, "in time").run(first.connection);
            first.connection.commit();
            raising.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            Throwable refused = catchThrowable(() -> writing.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
            assertThat(refused)
                    .cause()
                    .satisfiesAnyOf(
                            cause -> assertThat(cause).isInstanceOf(StaleTokenException.class),
                            cause -> assertThat(cause)
                                    .isInstanceOfSatisfying(
                                            SQLException.class,
                                            conflict -> assertThat(Sql.SqlState.isConflict(conflict))
                                                    .isTrue()));
            assertThat(database.lines(ledger)).containsExactly("before", "in time");
        } finally {
            threads.shutdownNow();
        }
    }

    private static void awaitWaiting(CompletableFuture<?> step, Writer writer) {
        await("done, or waiting for a lock")
                .atMost(PATIENCE)
                .pollInterval(writer.database.looksEvery())
                .until(() -> step.isDone() || writer.database.waits(writer.id));
    }

    private String fenced(Database database, Way way) throws SQLException, StaleTokenException {
        String ledger = database.freshLedger();
        FencedSql.guarding(database.source(), resource).raise(OLD);
        if (way == Way.TRIGGERS) {
            try (Connection connection = database.connect()) {
                TableGuard.at(connection).install(resource, Terms.ELECTION, List.of(ledger));
            }
        }
        return ledger;
    }

    private interface Step {
        int run() throws Exception;
    }

    private CompletableFuture<Integer> start(Step step) {
        CompletableFuture<Integer> done = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                done.complete(step.run());
            } catch (Throwable failure) {
                done.completeExceptionally(failure);
            }
        });
        return done;
    }
}
