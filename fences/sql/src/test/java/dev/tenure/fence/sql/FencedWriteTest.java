// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How fenced transactions begin on PostgreSQL, and what that leaves on a connection. */
@Tag("server")
class FencedWriteTest {
    private static final Term OLD = Terms.of(5);
    private static final Term NEW = Terms.of(6);
    private static final int UNTIL_THE_DRIVER_HAS_PREPARED = 10;
    private static final Database DATABASE = Database.POSTGRESQL;

    @Test
    @ResourceLock(CountingSockets.NAME)
    void a_write_is_three_round_trips_and_an_update_is_one() throws Exception {
        String ledger = DATABASE.freshLedger();
        String url = DATABASE.server().url();
        String counting = url + (url.contains("?") ? "&" : "?") + "socketFactory=" + CountingSockets.class.getName();
        try (Connection connection = DriverManager.getConnection(counting)) {
            FencedSql fence = FencedSql.guarding(Always.the(connection), Database.freshName("resource"));
            for (int i = 0; i < UNTIL_THE_DRIVER_HAS_PREPARED; i++) {
                fence.write(OLD, GuardedTable.insert(ledger, "warm"));
                fence.update(OLD, GuardedTable.insertInto(ledger), "warm");
            }
            CountingSockets.sent();

            fence.write(OLD, GuardedTable.insert(ledger, "counted"));
            List<String> ofTheWrite = CountingSockets.sent();
            fence.update(OLD, GuardedTable.insertInto(ledger), "counted");
            List<String> ofTheUpdate = CountingSockets.sent();

            assertThat(ofTheWrite).as("BEGIN goes with the comparison").hasSize(3);
            assertThat(ofTheUpdate).hasSize(1);
        }
    }

    @Test
    void work_finds_a_transaction_and_afterwards_there_is_none() throws Exception {
        String ledger = DATABASE.freshLedger();
        try (Connection connection = DATABASE.source().getConnection()) {
            FencedSql fence = FencedSql.guarding(Always.the(connection), Database.freshName("resource"));

            fence.write(OLD, working -> {
                assertThat(working.getAutoCommit()).isFalse();
                assertThat(Sql.column(working, "SHOW idle_in_transaction_session_timeout"))
                        .containsExactly("5s");
                GuardedTable.insert(ledger, "in").run(working);
            });

            assertBackAsItWas(connection);
            assertThat(DATABASE.lines(ledger)).containsExactly("in");
        }
    }

    @Test
    void a_refused_write_leaves_no_transaction_behind_and_its_work_has_not_run() throws Exception {
        String resource = Database.freshName("resource");
        try (Connection connection = DATABASE.source().getConnection()) {
            FencedSql zombie = FencedSql.guarding(Always.the(connection), resource);
            zombie.write(OLD, working -> {});
            FencedSql.guarding(DATABASE.source(), resource).raise(NEW);
            List<String> ran = new ArrayList<>();

            assertThatThrownBy(() -> zombie.write(OLD, working -> ran.add("late")))
                    .isInstanceOf(StaleTokenException.class);

            assertThat(ran).isEmpty();
            assertBackAsItWas(connection);
        }
    }

    /** On a connection with autocommit nobody would end a transaction that was left open, nor commit what comes into it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_write_that_cannot_go_on_behind_its_beginning_leaves_no_transaction_behind(boolean checked) throws Exception {
        try (Connection connection = DATABASE.source().getConnection()) {
            String resource = Database.freshName("resource");
            FencedSql.guarding(DATABASE.source(), resource).raise(OLD);
            Connection stubborn = (Connection) Proxy.newProxyInstance(
                    FencedWriteTest.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("setAutoCommit") && arguments[0].equals(false)) {
                            throw checked ? new SQLException("not now") : new IllegalStateException("not now");
                        }
                        return FencedConnection.call(connection, method, arguments);
                    });
            FencedSql fence = FencedSql.guarding(Always.the(stubborn), resource);

            Throwable failure = catchThrowable(() -> fence.write(OLD, working -> {}));

            assertThat(failure).hasMessage("not now").isNotInstanceOf(CommitUnknownException.class);
            assertBackAsItWas(connection);
        }
    }

    /** The driver makes a transaction read-only when it begins it, and would not know of ours. */
    @Test
    void what_is_read_only_stays_so() throws Exception {
        String resource = Database.freshName("resource");
        FencedSql.guarding(DATABASE.source(), resource).raise(OLD);
        try (Connection connection = DATABASE.source().getConnection()) {
            connection.setReadOnly(true);
            FencedSql fence = FencedSql.guarding(Always.the(connection), resource);

            assertThatThrownBy(() -> fence.write(OLD, working -> {})).hasMessageContaining("read-only");

            connection.setReadOnly(false);
            assertBackAsItWas(connection);
        }
    }

    @Test
    void a_connection_that_comes_without_autocommit_goes_back_without_it() throws Exception {
        String ledger = DATABASE.freshLedger();
        try (Connection connection = DATABASE.source().getConnection()) {
            connection.setAutoCommit(false);
            FencedSql fence = FencedSql.guarding(Always.the(connection), Database.freshName("resource"));

            fence.write(OLD, GuardedTable.insert(ledger, "in"));

            assertThat(connection.getAutoCommit()).isFalse();
            assertThat(DATABASE.lines(ledger)).containsExactly("in");
            connection.setAutoCommit(true);
        }
    }

    @Test
    void a_fence_whose_table_was_dropped_comes_back_with_the_next_write() throws Exception {
        String table = Database.freshName("fence");
        FencedSql fence = FencedSql.guarding(DATABASE.source(), "ledger").table(table);
        String ledger = DATABASE.freshLedger();
        fence.write(NEW, GuardedTable.insert(ledger, "one"));
        DATABASE.execute("DROP TABLE " + table);

        fence.write(NEW, GuardedTable.insert(ledger, "two"));

        assertThatThrownBy(() -> fence.write(OLD, GuardedTable.insert(ledger, "late")))
                .isInstanceOf(StaleTokenException.class);
        assertThat(DATABASE.lines(ledger)).containsExactly("one", "two");
    }

    private static void assertBackAsItWas(Connection connection) throws SQLException {
        assertThat(connection.getAutoCommit()).isTrue();
        assertThat(Sql.column(connection, "SELECT pg_current_xact_id_if_assigned()"))
                .containsExactly("");
        assertThat(Sql.column(connection, "SHOW idle_in_transaction_session_timeout"))
                .containsExactly("0");
    }
}
