package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariDataSource;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What comparing at the commit sends, and what it leaves on a connection and tells of it, whatever its driver and its pool do. */
class ConnectionsComparedAtCommitTest {
    private static final Term OLD = Terms.of(5);
    private static final Term NEW = Terms.of(6);
    private static final int UNTIL_THE_DRIVER_HAS_PREPARED = 10;
    private static final Database DATABASE = Database.POSTGRESQL;

    private final String resource = Database.freshName("resource");
    private final FencedSql fence =
            FencedSql.guarding(LimitedPool.shared(), resource).comparingAtCommit();

    /** The driver's own BEGIN travels with the first statement; there is no round trip that a plain write does not have. */
    @Test
    @ResourceLock(CountingSockets.NAME)
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
    @ValueSource(
            strings = {
                "",
                "&autosave=always",
                "&autosave=always&cleanupSavepoints=true",
                "&autosave=conservative",
                "&preferQueryMode=simple",
                "&preferQueryMode=extendedForPrepared",
                "&prepareThreshold=0",
                "&prepareThreshold=1",
                "&defaultRowFetchSize=1"
            })
    void however_the_driver_is_set_the_current_term_is_committed_and_a_stale_one_is_not(String parameters)
            throws Exception {
        String ledger = DATABASE.freshLedger();
        try (Connection connection = LimitedPool.connection(parameters)) {
            FencedSql own = FencedSql.guarding(Always.the(connection), resource)
                    .electedIn("store-a")
                    .comparingAtCommit();
            for (int i = 0; i < UNTIL_THE_DRIVER_HAS_PREPARED; i++) {
                own.write(OLD, GuardedTable.insert(ledger, "in time"));
            }
            assertThatThrownBy(() -> own.write(OLD, working -> {
                        GuardedTable.insert(ledger, "late").run(working);
                        DATABASE.raise(resource, NEW);
                    }))
                    .isInstanceOf(StaleTokenException.class);

            assertBackAsItWas(connection);
            assertThat(DATABASE.lines(ledger))
                    .hasSize(UNTIL_THE_DRIVER_HAS_PREPARED)
                    .containsOnly("in time");
        }
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
                    ConnectionsComparedAtCommitTest.class.getClassLoader(),
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

    /** A refusal, and an outcome that is known, are not hidden by a pool that fails afterwards. */
    @Test
    void what_happened_is_told_also_if_the_connection_cannot_be_given_back() throws Exception {
        String ledger = DATABASE.freshLedger();
        try (Connection connection = LimitedPool.connection()) {
            DataSource stubborn = (DataSource) Proxy.newProxyInstance(
                    ConnectionsComparedAtCommitTest.class.getClassLoader(),
                    new Class<?>[] {DataSource.class},
                    (proxy, method, arguments) -> Proxy.newProxyInstance(
                            ConnectionsComparedAtCommitTest.class.getClassLoader(),
                            new Class<?>[] {Connection.class},
                            (self, call, values) -> {
                                if (call.getName().equals("close")) {
                                    throw new SQLException("not now");
                                }
                                return WorkConnection.call(connection, call, values);
                            }));
            FencedSql own = FencedSql.guarding(stubborn, resource).comparingAtCommit();
            own.write(OLD, GuardedTable.insert(ledger, "in time"));
            DATABASE.raise(resource, NEW);

            assertThatThrownBy(() -> own.write(OLD, GuardedTable.insert(ledger, "late")))
                    .isInstanceOf(StaleTokenException.class);
            assertThat(DATABASE.lines(ledger)).containsExactly("in time");
        }
    }

    /** Otherwise who is refused would wait for its own connection. */
    @Test
    void a_pool_of_one_connection_is_enough() throws Exception {
        String ledger = DATABASE.freshLedger();
        try (HikariDataSource pool = LimitedPool.of(Duration.ofSeconds(5), 1)) {
            FencedSql own = FencedSql.guarding(pool, resource).comparingAtCommit();
            own.write(OLD, GuardedTable.insert(ledger, "in time"));
            DATABASE.raise(resource, NEW);

            assertThatThrownBy(() -> own.write(OLD, GuardedTable.insert(ledger, "late")))
                    .isInstanceOf(StaleTokenException.class);
            assertThat(DATABASE.lines(ledger)).containsExactly("in time");
        }
    }
}
