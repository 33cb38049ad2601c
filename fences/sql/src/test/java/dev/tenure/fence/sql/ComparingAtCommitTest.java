package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Fenced transactions on PostgreSQL that compare in the same round trip in which they commit. */
class ComparingAtCommitTest {
    private static final Term OLD = Terms.of(5);
    private static final Term NEW = Terms.of(6);
    private static final Database DATABASE = Database.POSTGRESQL;

    private final String resource = Database.freshName("resource");
    private final FencedSql fence =
            FencedSql.guarding(LimitedPool.shared(), resource).comparingAtCommit();

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
                DATABASE.raise(resource, NEW); // at once: it does not wait for the work
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

    @Test
    void a_refusal_carries_both_tokens_and_ends_the_term_as_fenced() throws Exception {
        String ledger = DATABASE.freshLedger();
        FixedLeadership zombie = new FixedLeadership(OLD);
        fence.write(zombie, working -> {});
        DATABASE.raise(resource, NEW);

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
    @Timeout(60)
    void rows_that_a_sleeper_has_changed_are_free_again_when_its_time_is_up() throws Exception {
        String ledger = DATABASE.freshLedger();
        Duration limit = Duration.ofSeconds(1);
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
            CompletableFuture<Void> firstIsIn = new CompletableFuture<>();
            CompletableFuture<Void> secondIsDone = new CompletableFuture<>();
            CompletableFuture<Void> first = encounter.inBackground(() -> fence.write(OLD, working -> {
                GuardedTable.insert(ledger, "first").run(working);
                firstIsIn.complete(null);
                secondIsDone.join();
            }));
            Encounter.done(firstIsIn);

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

    /** Another schema has a fence of the same name, which the successor has not raised. */
    @Test
    void work_that_changes_where_names_are_looked_for_is_compared_with_the_same_row() throws Exception {
        String ledger = DATABASE.freshLedger();
        String schema = Database.freshName("tenant");
        DATABASE.execute("CREATE SCHEMA " + schema);
        FencedSql.guarding(DATABASE.source(), resource)
                .table(schema + ".tenure_fence")
                .raise(OLD);
        SqlWork away = working -> {
            GuardedTable.insert(ledger, "from " + schema).run(working);
            Sql.execute(working, "SET LOCAL search_path = " + schema);
        };

        fence.write(OLD, away);
        DATABASE.raise(resource, NEW);

        assertThatThrownBy(() -> fence.write(OLD, away)).isInstanceOf(StaleTokenException.class);
        assertThat(DATABASE.lines(ledger)).containsExactly("from " + schema);
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
