package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
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
            Connection stubborn = (Connection) Proxy.newProxyInstance(
                    FencedTransactionsTest.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("rollback")) {
                            throw new SQLException("not now");
                        }
                        return FencedConnection.call(connection, method, arguments);
                    });
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
