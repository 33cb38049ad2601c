// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a fenced transaction leaves on its connection and tells of it, whatever its driver and its pool do. */
@Tag("server")
class FencedTransactionsTest {
    private static final Term OLD = Terms.of(5);
    private static final Term NEW = Terms.of(6);
    private static final int UNTIL_THE_DRIVER_HAS_PREPARED = 10;
    private static final Database DATABASE = Database.POSTGRESQL;

    private final String resource = Database.freshName("resource");
    private final FencedSql fence = FencedSql.guarding(DATABASE.source(), resource);

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
        try (Connection connection = DATABASE.connect(parameters)) {
            FencedSql own = FencedSql.guarding(Always.the(connection), resource).electedIn("store-a");
            for (int i = 0; i < UNTIL_THE_DRIVER_HAS_PREPARED; i++) {
                own.write(OLD, GuardedTable.insert(ledger, "in time"));
                own.update(OLD, GuardedTable.insertInto(ledger), "in time");
            }
            DATABASE.raise(resource, NEW);

            assertThatThrownBy(() -> own.write(OLD, GuardedTable.insert(ledger, "late")))
                    .isInstanceOf(StaleTokenException.class);
            assertThatThrownBy(() -> own.update(OLD, GuardedTable.insertInto(ledger), "late"))
                    .isInstanceOf(StaleTokenException.class);

            assertBackAsItWas(connection);
            assertThat(DATABASE.lines(ledger))
                    .hasSize(2 * UNTIL_THE_DRIVER_HAS_PREPARED)
                    .containsOnly("in time");
        }
    }

    private static void assertBackAsItWas(Connection connection) throws SQLException {
        assertThat(connection.getAutoCommit()).isTrue();
        assertThat(Sql.column(connection, "SELECT pg_current_xact_id_if_assigned()"))
                .containsExactly("");
    }

    /** A driver that is given autocommit commits what is open: nothing that was not compared may be. */
    @Test
    void what_cannot_be_rolled_back_is_not_committed_by_giving_the_connection_back() throws Exception {
        String ledger = DATABASE.freshLedger();
        fence.raise(OLD);
        try (Connection connection = DATABASE.connect()) {
            Connection stubborn = with(connection, "rollback", null, new SQLException("not now"));
            FencedSql own = FencedSql.guarding(Always.the(stubborn), resource);

            assertThatThrownBy(() -> own.write(OLD, working -> {
                        GuardedTable.insert(ledger, "half").run(working);
                        throw new IllegalStateException("the other half");
                    }))
                    .hasMessage("the other half");

            assertThat(connection.isClosed()).isTrue();
        }
        assertThat(DATABASE.lines(ledger)).isEmpty();
    }

    /** The server answers the commit of such a transaction with a rollback, and the driver says nothing. */
    @Test
    void work_that_passes_over_a_failure_is_not_taken_for_written() throws Exception {
        String ledger = DATABASE.freshLedger();
        try (Connection connection = DATABASE.connect()) {
            FencedSql own = FencedSql.guarding(Always.the(connection), resource);
            SqlWork careless = working -> {
                GuardedTable.insert(ledger, "lost").run(working);
                assertThatThrownBy(() -> Sql.execute(working, "SELECT 1 / 0")).isInstanceOf(SQLException.class);
            };

            assertThatThrownBy(() -> own.write(OLD, careless))
                    .isNotInstanceOf(CommitUnknownException.class)
                    .hasMessageContaining("nothing of the transaction fenced by " + resource + " was written");
            assertThatThrownBy(
                            () -> GuardedTable.inTransaction(own.dataSource(new FixedLeadership(OLD)), careless::run))
                    .isNotInstanceOf(CommitUnknownException.class)
                    .hasMessageContaining("nothing of the transaction fenced by " + resource + " was written");
        }
        assertThat(DATABASE.lines(ledger)).isEmpty();
    }

    @Test
    void work_that_goes_back_to_a_savepoint_after_a_failure_is_written() throws Exception {
        String ledger = DATABASE.freshLedger();

        fence.write(OLD, working -> {
            Savepoint before = working.setSavepoint();
            assertThatThrownBy(() -> Sql.execute(working, "SELECT 1 / 0")).isInstanceOf(SQLException.class);
            working.rollback(before);
            GuardedTable.insert(ledger, "there").run(working);
        });

        assertThat(DATABASE.lines(ledger)).containsExactly("there");
    }

    /** On MariaDB to set autocommit is a statement of its own. By then the statement before it is committed. */
    @Test
    void a_statement_that_was_committed_does_not_fail_afterwards() throws Exception {
        String ledger = DATABASE.freshLedger();
        try (Connection connection = DATABASE.connect()) {
            DataSource source = Always.the(with(connection, "setAutoCommit", true, new SQLException("not now")));
            Connection fenced = FencedSql.guarding(source, resource)
                    .dataSource(new FixedLeadership(OLD))
                    .getConnection();

            GuardedTable.insert(ledger, "there").run(fenced);

            assertThat(connection.isClosed()).isTrue();
        }
        assertThat(DATABASE.lines(ledger)).containsExactly("there");
    }

    /** To be given back with autocommit commits what is open, and what ends a statement early is not always an exception. */
    @Test
    void a_statement_whose_driver_fails_badly_leaves_no_transaction_open() throws Exception {
        String ledger = DATABASE.freshLedger();
        try (Connection connection = DATABASE.connect()) {
            fence.raise(OLD);
            DataSource source = Always.the(with(connection, "commit", null, new StackOverflowError("in the driver")));
            Connection fenced = FencedSql.guarding(source, resource)
                    .dataSource(new FixedLeadership(OLD))
                    .getConnection();

            assertThatThrownBy(() -> GuardedTable.insert(ledger, "half").run(fenced))
                    .isInstanceOf(StackOverflowError.class);

            assertBackAsItWas(connection);
        }
        assertThat(DATABASE.lines(ledger)).isEmpty();
    }

    /** @param value of the argument with which the call fails; null for one without arguments */
    private static Connection with(Connection connection, String call, Object value, Throwable failure) {
        return (Connection) Proxy.newProxyInstance(
                FencedTransactionsTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    Object given = arguments == null ? null : arguments[0];
                    if (method.getName().equals(call) && Objects.equals(given, value)) {
                        throw failure;
                    }
                    return FencedConnection.call(connection, method, arguments);
                });
    }

    /** A refusal, and an outcome that is known, are not hidden by a pool that fails afterwards. */
    @Test
    void what_happened_is_told_also_if_the_connection_cannot_be_given_back() throws Exception {
        String ledger = DATABASE.freshLedger();
        try (Connection connection = DATABASE.connect()) {
            DataSource stubborn = (DataSource) Proxy.newProxyInstance(
                    FencedTransactionsTest.class.getClassLoader(),
                    new Class<?>[] {DataSource.class},
                    (proxy, method, arguments) -> Proxy.newProxyInstance(
                            FencedTransactionsTest.class.getClassLoader(),
                            new Class<?>[] {Connection.class},
                            (self, call, values) -> {
                                if (call.getName().equals("close")) {
                                    throw new SQLException("not now");
                                }
                                return FencedConnection.call(connection, call, values);
                            }));
            FencedSql own = FencedSql.guarding(stubborn, resource);
            own.write(OLD, GuardedTable.insert(ledger, "in time"));
            DATABASE.raise(resource, NEW);

            assertThatThrownBy(() -> own.write(OLD, GuardedTable.insert(ledger, "late")))
                    .isInstanceOf(StaleTokenException.class);
            assertThat(DATABASE.lines(ledger)).containsExactly("in time");
        }
    }

    /** Otherwise a write that is refused would wait for its own connection. */
    @Test
    void a_pool_of_one_connection_is_enough() throws Exception {
        String ledger = DATABASE.freshLedger();
        try (HikariDataSource pool = DATABASE.pool(1)) {
            FencedSql own = FencedSql.guarding(pool, resource);
            own.write(OLD, GuardedTable.insert(ledger, "in time"));
            DATABASE.raise(resource, NEW);

            assertThatThrownBy(() -> own.write(OLD, GuardedTable.insert(ledger, "late")))
                    .isInstanceOf(StaleTokenException.class);
            assertThat(DATABASE.lines(ledger)).containsExactly("in time");
        }
    }
}
