// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.Term;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** SQL that would end a transaction behind the back of its fence. */
@Tag("server")
class TransactionControlSqlTest {
    private static final Term TERM = Terms.of(5);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "COMMIT",
                "commit;",
                " \n Commit and chain",
                "END",
                "ROLLBACK",
                "rollback work",
                "ABORT",
                "BEGIN",
                "begin;",
                "BEGIN READ ONLY",
                "BEGIN NOT DEFERRABLE",
                "begin isolation level serializable",
                "START TRANSACTION",
                "PREPARE TRANSACTION 'x'",
                "-- so be it\nCOMMIT",
                "/* at /* last */ COMMIT PREPARED 'x'"
            })
    void what_begins_or_ends_a_transaction_is_refused(String sql) {
        assertThatThrownBy(() -> FencedConnection.TransactionControlSql.OF_WORK.refuse(sql))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("goes past the fence");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "INSERT INTO commit (line) VALUES ('COMMIT')",
                "ROLLBACK TO SAVEPOINT a",
                "rollback work to a",
                "ROLLBACK TRANSACTION TO SAVEPOINT a",
                "SELECT 1 -- COMMIT",
                "-- COMMIT",
                "/* COMMIT",
                "COMMITTED",
                "BEGIN NOT ATOMIC SELECT 1; END",
                "BEGIN INSERT INTO book VALUES (1); END",
                "PREPARE insertion AS SELECT 1",
                "WITH commit AS (SELECT 1) SELECT * FROM commit"
            })
    void what_only_looks_like_it_is_not(String sql) {
        assertThatCode(() -> FencedConnection.TransactionControlSql.OF_WORK.refuse(sql))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void work_cannot_end_its_transaction_by_sql(Database database) throws Exception {
        FencedSql fence = FencedSql.guarding(database.source(), Database.freshName("resource"));
        String ledger = database.freshLedger();

        fence.write(TERM, connection -> {
            assertRefused(connection);
            GuardedTable.insert(ledger, "in").run(connection);
        });

        assertThat(database.lines(ledger)).containsExactly("in");
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void nor_can_who_has_a_fenced_data_source(Database database) throws Exception {
        FencedSql fence = FencedSql.guarding(database.source(), Database.freshName("resource"));

        try (Connection connection = fence.dataSource(new FixedLeadership(TERM)).getConnection()) {
            connection.setAutoCommit(false);
            assertRefused(connection);
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    /** It would let go of the fence that was taken behind the savepoint, and nobody would take it again. */
    @Test
    void a_fenced_data_source_is_rolled_back_to_a_savepoint_by_a_call_only() throws Exception {
        Database database = Database.POSTGRESQL;
        FencedSql fence = FencedSql.guarding(database.source(), Database.freshName("resource"));
        String ledger = database.freshLedger();

        try (Connection connection = fence.dataSource(new FixedLeadership(TERM)).getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            connection.setSavepoint("a");
            GuardedTable.insert(ledger, "undone").run(connection);

            assertThatThrownBy(() -> statement.execute("ROLLBACK TO SAVEPOINT a"))
                    .hasMessageContaining("goes past the fence");

            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void nor_can_an_update(Database database) {
        FencedSql fence = FencedSql.guarding(database.source(), Database.freshName("resource"));

        assertThatThrownBy(() -> fence.update(TERM, "ROLLBACK")).hasMessageContaining("goes past the fence");
    }

    private static void assertRefused(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute("COMMIT")).hasMessageContaining("goes past the fence");
            assertThatThrownBy(() -> statement.executeUpdate("ROLLBACK")).hasMessageContaining("goes past the fence");
            assertThatThrownBy(() -> statement.addBatch("COMMIT")).hasMessageContaining("goes past the fence");
        }
        assertThatThrownBy(() -> connection.prepareStatement("COMMIT")).hasMessageContaining("goes past the fence");
        assertThatThrownBy(() -> connection.prepareCall("COMMIT")).hasMessageContaining("goes past the fence");
    }
}
