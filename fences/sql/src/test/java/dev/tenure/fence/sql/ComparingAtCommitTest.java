package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Fenced transactions on PostgreSQL that compare in the same round trip in which they commit. */
class ComparingAtCommitTest {
    private static final Term OLD = Terms.of(5);
    private static final Term NEW = Terms.of(6);
    private static final int UNTIL_THE_DRIVER_HAS_PREPARED = 10;
    private static final Database DATABASE = Database.POSTGRESQL;

    private final String resource = Database.freshName("resource");
    private final FencedSql fence =
            FencedSql.guarding(LimitedPool.shared(), resource).comparingAtCommit();

    /** The driver's own BEGIN travels with the first statement; there is no round trip that a plain write does not have. */
    @Test
    void a_write_has_the_round_trips_of_one_without_a_fence() throws Exception {
        String ledger = DATABASE.freshLedger();
        try (Connection connection = LimitedPool.connection("&socketFactory=" + CountingSockets.class.getName())) {
            FencedSql counted =
                    FencedSql.guarding(Always.the(connection), resource).comparingAtCommit();
            for (int i = 0; i < UNTIL_THE_DRIVER_HAS_PREPARED; i++) {
                counted.write(OLD, GuardedTable.insert(ledger, "warm"));
                plainly(connection, ledger, "warm");
            }
            CountingSockets.sent();

            plainly(connection, ledger, "counted");
            List<String> without = CountingSockets.sent();
            counted.write(OLD, GuardedTable.insert(ledger, "counted"));
            List<String> with = CountingSockets.sent();

            assertThat(with).hasSize(2).hasSameSizeAs(without);
            assertThat(OpeningTest.answers(with)).isEqualTo(OpeningTest.answers(without));
        }
    }

    private static void plainly(Connection connection, String ledger, String line) throws SQLException {
        connection.setAutoCommit(false);
        GuardedTable.insert(ledger, line).run(connection);
        connection.commit();
        connection.setAutoCommit(true);
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void work_during_which_the_fence_is_raised_is_rolled_back(Isolation isolation) throws Exception {
        String ledger = DATABASE.freshLedger();
        try (Connection connection = LimitedPool.connection()) {
            int before = connection.getTransactionIsolation();
            connection.setTransactionIsolation(isolation.level);
            FencedSql zombie =
                    FencedSql.guarding(Always.the(connection), resource).comparingAtCommit();
            zombie.write(OLD, GuardedTable.insert(ledger, "in time"));

            Throwable refused = catchThrowable(() -> zombie.write(OLD, working -> {
                GuardedTable.insert(ledger, "late").run(working);
                raised(NEW); // at once: it does not wait for the work
            }));

            if (refused instanceof SQLException conflict) {
                assertThat(isolation).isNotEqualTo(Isolation.READ_COMMITTED);
                assertThat(SqlState.isConflict(conflict))
                        .as(conflict.toString())
                        .isTrue();
                assertThat(refused).isNotInstanceOf(CommitUnknownException.class);
            } else {
                assertThat(refused).isInstanceOf(StaleTokenException.class);
            }
            assertThatThrownBy(() -> zombie.write(OLD, GuardedTable.insert(ledger, "later")))
                    .isInstanceOf(StaleTokenException.class);
            connection.setTransactionIsolation(before);
        }
        assertThat(DATABASE.lines(ledger)).containsExactly("in time");
    }

    private void raised(Term term) throws SQLException {
        try {
            FencedSql.guarding(DATABASE.source(), resource).raise(term);
        } catch (StaleTokenException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    @Test
    void a_refusal_carries_both_tokens_and_ends_the_term_as_fenced() throws Exception {
        String ledger = DATABASE.freshLedger();
        FixedLeadership zombie = new FixedLeadership(OLD);
        fence.write(zombie, working -> {});
        raised(NEW);

        assertThatThrownBy(() -> fence.write(zombie, GuardedTable.insert(ledger, "late")))
                .isInstanceOf(StaleTokenException.class)
                .hasMessageContaining("token 5")
                .hasMessageContaining("token 6");

        assertThat(zombie.toldOf()).containsExactly(NEW.token());
        assertThat(DATABASE.lines(ledger)).isEmpty();
    }

    /** The server is made to pause in the middle of the commit, behind the comparison. */
    @Test
    void a_raise_waits_for_a_commit_that_has_been_let_in_and_sees_what_it_wrote() throws Exception {
        try (Encounter encounter = new Encounter(DATABASE, Isolation.READ_COMMITTED);
                SlowCommits slow = new SlowCommits(encounter.ledger)) {
            FencedSql writer = FencedSql.guarding(LimitedPool.shared(), encounter.resource)
                    .table(encounter.fenceTable)
                    .comparingAtCommit();
            CompletableFuture<Void> writing = encounter.inBackground(
                    () -> writer.write(Encounter.OLD, GuardedTable.insert(encounter.ledger, "in time")));
            slow.awaitCommit();

            CompletableFuture<Void> raising = encounter.raise();
            assertThat(writing).isNotDone();
            assertThat(raising).isNotDone();
            slow.goOn();

            Encounter.done(writing);
            Encounter.done(raising);
            assertThat(DATABASE.lines(encounter.ledger)).containsExactly("in time");
        }
    }

    @Test
    void a_connection_that_ends_during_its_commit_leaves_the_outcome_unknown() throws Exception {
        try (Encounter encounter = new Encounter(DATABASE, Isolation.READ_COMMITTED);
                SlowCommits slow = new SlowCommits(encounter.ledger)) {
            CompletableFuture<Void> writing =
                    encounter.inBackground(() -> fence.write(OLD, GuardedTable.insert(encounter.ledger, "never told")));
            slow.awaitCommit();

            slow.endWaiting();

            assertThatThrownBy(() -> Encounter.done(writing)).isInstanceOf(CommitUnknownException.class);
        }
    }

    /** Whoever sleeps in a transaction does not keep its successor from leading, nor for long from its rows. */
    @Test
    void rows_that_a_sleeper_has_changed_are_free_again_when_its_time_is_up() throws Exception {
        String ledger = DATABASE.freshLedger();
        Duration limit = Duration.ofMillis(300);
        try (Encounter encounter = new Encounter(DATABASE, Isolation.READ_COMMITTED);
                HikariDataSource pool = LimitedPool.of(limit, 2)) {
            FencedSql sleeper =
                    FencedSql.guarding(pool, resource).idleAtMost(limit).comparingAtCommit();
            sleeper.write(OLD, GuardedTable.insert(ledger, "first"));
            CompletableFuture<Void> taken = new CompletableFuture<>();
            CompletableFuture<Void> woken = new CompletableFuture<>();
            CompletableFuture<Void> sleeping = encounter.inBackground(() -> sleeper.write(OLD, working -> {
                Sql.execute(working, "UPDATE " + ledger + " SET line = 'late'");
                taken.complete(null);
                woken.join();
            }));
            Encounter.done(taken);

            fence.raise(NEW);
            fence.write(NEW, working -> Sql.execute(working, "UPDATE " + ledger + " SET line = 'new'"));
            woken.complete(null);

            assertThat(catchThrowable(() -> Encounter.done(sleeping))).isInstanceOf(SQLException.class);
            assertThat(DATABASE.lines(ledger)).containsExactly("new");
        }
    }

    @Test
    void writers_of_one_term_run_side_by_side() throws Exception {
        String ledger = DATABASE.freshLedger();
        try (Encounter encounter = new Encounter(DATABASE, Isolation.READ_COMMITTED)) {
            CompletableFuture<Void> secondIsDone = new CompletableFuture<>();
            CompletableFuture<Void> first = encounter.inBackground(() -> fence.write(OLD, working -> {
                GuardedTable.insert(ledger, "first").run(working);
                secondIsDone.join();
            }));

            fence.write(OLD, GuardedTable.insert(ledger, "second"));
            secondIsDone.complete(null);

            Encounter.done(first);
            assertThat(DATABASE.lines(ledger)).containsExactlyInAnyOrder("first", "second");
        }
    }

    @Test
    void a_row_that_was_deleted_under_the_work_rolls_it_back_and_stands_for_the_next() throws Exception {
        String table = Database.freshName("fence");
        FencedSql own = fence.table(table);
        String ledger = DATABASE.freshLedger();
        own.write(NEW, GuardedTable.insert(ledger, "one"));
        DATABASE.execute("DELETE FROM " + table);

        assertThatThrownBy(() -> own.write(NEW, GuardedTable.insert(ledger, "two")))
                .hasMessageContaining("rolled back")
                .isInstanceOfSatisfying(
                        SQLException.class,
                        failure -> assertThat(SqlState.isConflict(failure)).isTrue());
        own.write(NEW, GuardedTable.insert(ledger, "three"));

        assertThatThrownBy(() -> own.write(OLD, GuardedTable.insert(ledger, "late")))
                .isInstanceOf(StaleTokenException.class);
        assertThat(DATABASE.lines(ledger)).containsExactly("one", "three");
    }

    @Test
    void work_that_throws_is_rolled_back_and_the_connection_comes_back_as_it_was() throws Exception {
        String ledger = DATABASE.freshLedger();
        try (Connection connection = LimitedPool.connection()) {
            FencedSql own = FencedSql.guarding(Always.the(connection), resource).comparingAtCommit();

            assertThatThrownBy(() -> own.write(OLD, working -> {
                        GuardedTable.insert(ledger, "half").run(working);
                        throw new IllegalStateException("the other half");
                    }))
                    .hasMessage("the other half");

            assertBackAsItWas(connection);
            own.write(OLD, GuardedTable.insert(ledger, "whole"));
            assertBackAsItWas(connection);
        }
        assertThat(DATABASE.lines(ledger)).containsExactly("whole");
    }

    private static void assertBackAsItWas(Connection connection) throws SQLException {
        assertThat(connection.getAutoCommit()).isTrue();
        assertThat(Sql.column(connection, "SELECT pg_current_xact_id_if_assigned()"))
                .containsExactly("");
    }

    @Test
    void a_connection_that_comes_without_autocommit_goes_back_without_it() throws Exception {
        String ledger = DATABASE.freshLedger();
        try (Connection connection = LimitedPool.connection()) {
            connection.setAutoCommit(false);
            FencedSql own = FencedSql.guarding(Always.the(connection), resource).comparingAtCommit();

            own.write(OLD, GuardedTable.insert(ledger, "in"));

            assertThat(connection.getAutoCommit()).isFalse();
            assertThat(DATABASE.lines(ledger)).containsExactly("in");
            connection.setAutoCommit(true);
        }
    }

    @Test
    void an_error_that_the_work_hides_is_not_committed_over() throws Exception {
        String ledger = DATABASE.freshLedger();

        Throwable failure = catchThrowable(() -> fence.write(OLD, working -> {
            GuardedTable.insert(ledger, "half").run(working);
            assertThat(catchThrowable(() -> Sql.execute(working, "SELECT nonsense")))
                    .isNotNull();
        }));

        assertThat(failure).isInstanceOf(SQLException.class).isNotInstanceOf(CommitUnknownException.class);
        assertThat(DATABASE.lines(ledger)).isEmpty();
    }

    @Test
    void what_fails_only_at_the_commit_is_known_to_be_rolled_back() throws Exception {
        String parent = Database.freshName("parent");
        String child = Database.freshName("child");
        DATABASE.execute(
                "CREATE TABLE " + parent + " (id INT PRIMARY KEY)",
                "CREATE TABLE " + child + " (id INT REFERENCES " + parent + " DEFERRABLE INITIALLY DEFERRED)");

        assertThatThrownBy(
                        () -> fence.write(OLD, working -> Sql.execute(working, "INSERT INTO " + child + " VALUES (1)")))
                .isInstanceOf(SQLException.class)
                .isNotInstanceOf(CommitUnknownException.class)
                .hasMessageContaining(child);

        assertThat(DATABASE.column("SELECT id FROM " + child)).isEmpty();
    }

    /** A driver that is given autocommit commits what is open: nothing that was not compared may be. */
    @Test
    void what_cannot_be_rolled_back_is_not_committed_by_giving_the_connection_back() throws Exception {
        String ledger = DATABASE.freshLedger();
        fence.raise(OLD);
        try (Connection connection = LimitedPool.connection()) {
            Connection stubborn = (Connection) Proxy.newProxyInstance(
                    ComparingAtCommitTest.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("rollback")) {
                            throw new SQLException("not now");
                        }
                        return WorkConnection.call(connection, method, arguments);
                    });
            FencedSql own = FencedSql.guarding(Always.the(stubborn), resource).comparingAtCommit();

            assertThatThrownBy(() -> own.write(OLD, working -> {
                        GuardedTable.insert(ledger, "half").run(working);
                        throw new IllegalStateException("the other half");
                    }))
                    .hasMessage("the other half");

            assertThat(connection.isClosed()).isTrue();
        }
        assertThat(DATABASE.lines(ledger)).isEmpty();
    }

    @Test
    void without_a_limit_for_idle_transactions_it_compares_first() throws Exception {
        FencedSql unlimited = FencedSql.guarding(DATABASE.source(), resource).comparingAtCommit();

        assertThat(workOfAZombieRuns(unlimited)).isFalse();
        try (Connection connection = DATABASE.source().getConnection()) {
            assertThat(closing(Duration.ofSeconds(5)).obstacle(connection))
                    .contains("idle for ever")
                    .contains("idle_in_transaction_session_timeout=5000");
        }
    }

    @Test
    void a_limit_that_is_longer_than_what_was_asked_for_is_none() throws Exception {
        try (Connection connection = LimitedPool.connection()) {
            assertThat(closing(Duration.ofSeconds(4)).obstacle(connection)).contains("idle for 5000 ms");
            assertThat(closing(Duration.ofSeconds(5)).obstacle(connection)).isEmpty();
        }
        assertThat(workOfAZombieRuns(fence.idleAtMost(Duration.ofSeconds(4)))).isFalse();
    }

    private Closing closing(Duration idleAtMost) {
        FenceOptions options = FenceOptions.standard().withIdleAtMost(idleAtMost);
        return new Closing(new Comparison(Dialect.POSTGRESQL, resource, options), resource, options);
    }

    @Test
    void with_a_limit_the_work_of_a_zombie_runs_and_is_rolled_back() throws Exception {
        assertThat(workOfAZombieRuns(fence)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = Database.class,
            names = {"MARIADB", "H2"})
    void other_databases_compare_first(Database database) throws Exception {
        FencedSql other = FencedSql.guarding(database.source(), resource).comparingAtCommit();

        other.write(OLD, working -> {});
        FencedSql.guarding(database.source(), resource).raise(NEW);
        List<String> ran = new ArrayList<>();

        assertThatThrownBy(() -> other.write(OLD, working -> ran.add("late"))).isInstanceOf(StaleTokenException.class);
        assertThat(ran).isEmpty();
    }

    private boolean workOfAZombieRuns(FencedSql zombie) throws Exception {
        List<String> ran = new ArrayList<>();
        zombie.write(OLD, working -> {});
        raised(NEW);
        assertThatThrownBy(() -> zombie.write(OLD, working -> ran.add("late"))).isInstanceOf(StaleTokenException.class);
        return !ran.isEmpty();
    }

    @Test
    void a_table_behind_triggers_is_shown_the_token_first() throws Exception {
        String ledger = DATABASE.freshLedger();
        install(ledger);

        fence.write(OLD, GuardedTable.insert(ledger, "shown"));

        assertThat(DATABASE.lines(ledger)).containsExactly("shown");
    }

    @Test
    void triggers_that_come_in_the_middle_of_a_term_refuse_one_write_and_are_known_to_the_next() throws Exception {
        String ledger = DATABASE.freshLedger();
        fence.write(OLD, GuardedTable.insert(ledger, "before"));
        install(ledger);

        assertThatThrownBy(() -> fence.write(OLD, GuardedTable.insert(ledger, "not shown")))
                .hasMessageContaining("without a token");
        fence.write(OLD, GuardedTable.insert(ledger, "shown"));

        assertThat(DATABASE.lines(ledger)).containsExactly("before", "shown");
    }

    private void install(String ledger) throws SQLException {
        try (Connection connection = DATABASE.source().getConnection()) {
            TableGuard.at(connection).install(resource, Terms.ELECTION, List.of(ledger));
        }
    }

    /** A table whose commits wait for a lock, behind the comparison, until they may go on. */
    private static final class SlowCommits implements AutoCloseable {
        private final Connection holder = DATABASE.source().getConnection();
        private final int key;

        SlowCommits(String table) throws SQLException {
            key = table.hashCode() & Integer.MAX_VALUE;
            String function = Database.freshName("slow");
            DATABASE.execute(
                    "CREATE FUNCTION " + function + "() RETURNS trigger LANGUAGE plpgsql AS"
                            + " 'BEGIN PERFORM pg_advisory_xact_lock(" + key + "); RETURN NULL; END'",
                    "CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON " + table
                            + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION " + function + "()");
            execute("SELECT pg_advisory_lock(" + key + ")");
        }

        /** Until somebody is past the comparison, and in the middle of the commit. */
        void awaitCommit() {
            await("a commit that waits")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> !DATABASE.column("SELECT pid FROM pg_locks" + waiting())
                            .isEmpty());
        }

        private String waiting() {
            return " WHERE locktype = 'advisory' AND NOT granted AND objid = " + key;
        }

        void goOn() throws SQLException {
            execute("SELECT pg_advisory_unlock(" + key + ")");
        }

        void endWaiting() throws SQLException {
            execute("SELECT pg_terminate_backend(pid) FROM pg_locks" + waiting());
        }

        private void execute(String sql) throws SQLException {
            try (Statement statement = holder.createStatement()) {
                statement.execute(sql);
            }
        }

        @Override
        public void close() throws SQLException {
            try (holder) {
                execute("SELECT pg_advisory_unlock_all()");
            }
        }
    }
}
