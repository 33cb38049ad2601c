// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.sql.servers.MariaDb;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.ServerClock;
import dev.tenure.sql.servers.SqlServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Real processes that are killed and stopped right before and right after what they send to the database. Bodies append to a table
 * without a key, so that effects are counted and not intentions.
 */
@Tag("server")
@Execution(ExecutionMode.CONCURRENT)
class FaultsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final long EVERY_MILLIS = 1000;

    private enum Database {
        POSTGRESQL(Postgres::running),
        MARIADB(MariaDb::running);

        private final Supplier<SqlServer> running;

        Database(Supplier<SqlServer> running) {
            this.running = running;
        }
    }

    @Test
    void two_hundred_firings_on_postgresql() throws Exception {
        try (SqlServer server = Postgres.running()) {
            fire(server, 10, 200, 6);
        }
    }

    @Test
    void a_hundred_firings_on_mariadb() throws Exception {
        try (SqlServer server = MariaDb.running()) {
            fire(server, 10, 100, 4);
        }
    }

    @Tag("all")
    @ParameterizedTest
    @EnumSource
    void ten_thousand_firings(Database database) throws Exception {
        try (SqlServer server = database.running.get()) {
            fire(server, 40, 10_000, 40);
        }
    }

    @Test
    void a_clock_that_is_set_forward_and_back_neither_doubles_nor_loses(@TempDir Path folder) throws Exception {
        moveClock(Postgres::running, folder);
    }

    @Tag("all")
    @Test
    void a_clock_that_is_set_forward_and_back_on_mariadb(@TempDir Path folder) throws Exception {
        moveClock(MariaDb::running, folder);
    }

    private static void moveClock(Supplier<SqlServer> running, Path folder) throws Exception {
        int jobs = 2;
        ServerClock clock = ServerClock.in(folder);
        // A JVM looks at its clocks, and at the age of files, all the time; its timed waits would spin with the fix.
        List<String> prefix = new ArrayList<>(clock.prefix());
        prefix.remove("FAKETIME_NO_CACHE=1");
        prefix.addAll(List.of("FAKETIME_CACHE_DURATION=1", "NO_FAKE_STAT=1", "FAKETIME_FORCE_MONOTONIC_FIX=0"));
        try (SqlServer server = running.get();
                Workers workers = new Workers(server, prefix, 1, "cron", Integer.toString(jobs))) {
            server.execute("CREATE TABLE effect (what VARCHAR(100), due BIGINT)");
            workers.start(1);
            awaitRuns(server, 4);
            clock.move(Duration.ofSeconds(15));
            await("runs of the future")
                    .atMost(PATIENCE)
                    .until(() -> count(server, "SELECT MAX(due) FROM tenure_cron")
                            > System.currentTimeMillis() + 2 * EVERY_MILLIS);
            clock.move(Duration.ZERO);
            long last = count(server, "SELECT MAX(due) FROM tenure_cron");
            await("runs after that")
                    .atMost(PATIENCE)
                    .until(() -> count(server, "SELECT MAX(due) FROM tenure_cron") > last + 3 * EVERY_MILLIS);
            workers.quit();
            assertNoneLost(server, jobs);
            assertNoneDoubled(server);
        }
    }

    @Test
    void twenty_migrations_on_postgresql() throws Exception {
        try (SqlServer server = Postgres.running()) {
            migrate(server, 20, 6);
        }
    }

    @Test
    void ten_migrations_on_mariadb() throws Exception {
        try (SqlServer server = MariaDb.running()) {
            migrate(server, 10, 4);
        }
    }

    @Tag("all")
    @ParameterizedTest
    @EnumSource
    void two_hundred_migrations(Database database) throws Exception {
        try (SqlServer server = database.running.get()) {
            migrate(server, 200, 60);
        }
    }

    private static void fire(SqlServer server, int jobs, int firings, int faults) throws Exception {
        server.execute("CREATE TABLE effect (what VARCHAR(100), due BIGINT)");
        try (Workers workers = new Workers(server, firings, "cron", Integer.toString(jobs))) {
            workers.start();
            for (int i = 0; i < faults; i++) {
                awaitRuns(server, (long) firings * (i + 1) / (faults + 1));
                workers.strikeLeader(i);
            }
            awaitRuns(server, firings);
            long now = System.currentTimeMillis();
            await("what was due up to now")
                    .atMost(PATIENCE)
                    .until(() -> count(
                                    server,
                                    "SELECT COUNT(*) FROM tenure_cron_job WHERE last_due < " + (now - 2 * EVERY_MILLIS))
                            == 0);
            await("what is open")
                    .atMost(PATIENCE)
                    .until(() -> count(
                                    server,
                                    "SELECT COUNT(*) FROM tenure_cron WHERE state IN ('DUE', 'RUNNING') AND due < "
                                            + now)
                            == 0);
            workers.quit();
        }
        assertThat(rows(server, "SELECT job, due, attempt FROM tenure_cron WHERE state IN ('FAILED', 'TIMED_OUT')"))
                .isEmpty();
        assertNoneLost(server, jobs);
        assertNoneDoubled(server);
    }

    /** Each due time from the first to the last has its row, and each run that is done has had its effect. */
    private static void assertNoneLost(SqlServer server, int jobs) throws SQLException {
        List<String> spans = rows(
                server,
                "SELECT job, (MAX(due) - MIN(due)) / " + EVERY_MILLIS
                        + " + 1 - COUNT(*) FROM tenure_cron GROUP BY job");
        assertThat(spans).hasSize(jobs).allMatch(span -> Double.parseDouble(span.split(" ")[1]) == 0);
        assertThat(rows(
                        server,
                        "SELECT job, due, state FROM tenure_cron c WHERE state = 'DONE' AND NOT EXISTS"
                                + " (SELECT 1 FROM effect e WHERE e.what = c.job AND e.due = c.due)"))
                .isEmpty();
        assertThat(rows(server, "SELECT job, due FROM tenure_cron WHERE job LIKE 'again-%' AND state = 'ABANDONED'"))
                .isEmpty();
    }

    /**
     * A run has as many effects as attempts, at most; and a second attempt only where the first was abandoned, by a process that died
     * or a term that ended, and its job said retry.
     */
    private static void assertNoneDoubled(SqlServer server) throws SQLException {
        assertThat(rows(
                        server,
                        "SELECT e.what, e.due, COUNT(*) FROM effect e JOIN tenure_cron c ON c.job = e.what AND c.due = e.due"
                                + " GROUP BY e.what, e.due, c.attempt HAVING COUNT(*) > c.attempt"))
                .isEmpty();
        assertThat(rows(
                        server,
                        "SELECT job, due, attempt, note FROM tenure_cron WHERE attempt > 1 AND (job LIKE 'once-%' OR NOT ("
                                + "note LIKE '%abandoned%' OR note LIKE '%the term has ended%'"
                                + " OR note LIKE '%NotLeading%' OR note LIKE '%StaleToken%'))"))
                .isEmpty();
        assertThat(rows(
                        server,
                        "SELECT what, due FROM effect e WHERE NOT EXISTS"
                                + " (SELECT 1 FROM tenure_cron c WHERE e.what = c.job AND e.due = c.due)"))
                .isEmpty();
    }

    private static void migrate(SqlServer server, int migrations, int faults) throws Exception {
        server.execute("CREATE TABLE effect (what VARCHAR(100), due BIGINT)");
        try (Workers workers = new Workers(server, migrations, "migrate", Integer.toString(migrations))) {
            workers.start();
            for (int i = 0; i < faults; i++) {
                workers.strikeLeader(i);
            }
            await("all migrations").atMost(PATIENCE).until(workers::hasEnded);
            assertThat(workers.lines()).noneMatch(line -> line.contains("Failed") || line.contains("failed"));
            workers.quit();
        }
        List<String> expected = new ArrayList<>();
        IntStream.range(0, migrations).forEach(i -> {
            expected.add("m" + i + "-last 1");
            expected.add("m" + i + "-rows 2");
        });
        assertThat(rows(server, "SELECT what, COUNT(*) FROM effect WHERE what NOT LIKE '%-code' GROUP BY what"))
                .containsExactlyInAnyOrderElementsOf(expected);
        assertThat(rows(server, "SELECT DISTINCT what FROM effect WHERE what LIKE '%-code'"))
                .hasSize(migrations);
        assertThat(rows(server, "SELECT step FROM tenure_migration WHERE state = 'APPLIED'"))
                .hasSize(5 * migrations);
        assertThat(rows(server, "SELECT table_name FROM information_schema.tables WHERE table_name LIKE 't\\_m%'"))
                .hasSize(migrations);
        String indexes = server instanceof Postgres
                ? "SELECT indexrelid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
                        + " WHERE i.indisvalid AND c.relname LIKE 'i\\_m%'"
                : "SELECT index_name FROM information_schema.statistics WHERE index_name LIKE 'i\\_m%'";
        assertThat(rows(server, indexes)).hasSize(migrations);
    }

    private static void awaitRuns(SqlServer server, long runs) {
        await(runs + " runs").atMost(PATIENCE).until(() -> count(server, "SELECT COUNT(*) FROM tenure_cron") >= runs);
    }

    private static long count(SqlServer server, String query) {
        try {
            return Long.parseLong(server.ask(query));
        } catch (IllegalStateException notYet) {
            return -1;
        }
    }

    private static List<String> rows(SqlServer server, String query) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            List<String> all = new ArrayList<>();
            while (rows.next()) {
                List<String> columns = new ArrayList<>();
                for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
                    columns.add(rows.getString(column));
                }
                all.add(String.join(" ", columns));
            }
            return all;
        }
    }
}
