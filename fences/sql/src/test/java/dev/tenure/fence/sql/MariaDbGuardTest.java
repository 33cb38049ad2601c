// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tenure.StaleTokenException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables of MariaDB behind triggers: what passes, what does not, and what the status says of the rest. */
@Tag("server")
class MariaDbGuardTest {
    private static final Database DATABASE = Database.MARIADB;

    private final String resource = Database.freshName("books");
    private final String table = Database.freshName("book");
    private final FencedSql fence = FencedSql.guarding(DATABASE.source(), resource);

    private void create() throws SQLException {
        DATABASE.execute(
                "CREATE TABLE " + table + " (id INT PRIMARY KEY, line VARCHAR(200))",
                "INSERT INTO " + table + " VALUES (1, 'one'), (2, 'two')");
    }

    private void install(String... tables) throws SQLException {
        try (Connection connection = DATABASE.source().getConnection()) {
            TableGuard.at(connection).install(resource, Terms.ELECTION, List.of(tables));
        }
    }

    private TableGuard.GuardedTable state(String name) throws SQLException {
        try (Connection connection = DATABASE.source().getConnection()) {
            return TableGuard.at(connection).status().stream()
                    .flatMap(each -> each.tables().stream())
                    .filter(each -> each.table().equals(name))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void another_table_is_fenced_while_a_fenced_transaction_is_open() throws Exception {
        create();
        install(table);
        String other = Database.freshName("other");
        DATABASE.execute("CREATE TABLE " + other + " (id INT PRIMARY KEY)");

        fence.write(Terms.of(1), open -> {
            try (Statement statement = open.createStatement()) {
                statement.executeUpdate("DELETE FROM " + table);
            }
            install(other);
        });

        assertThat(state(other).resource()).isEqualTo(resource);
    }

    @Test
    void a_table_in_the_midst_of_a_transaction_is_not_waited_for_for_ever() throws Exception {
        create();

        try (Connection open = DATABASE.source().getConnection()) {
            open.setAutoCommit(false);
            try (Statement statement = open.createStatement()) {
                statement.executeUpdate("DELETE FROM " + table);
            }

            assertThatThrownBy(() -> install(table)).hasMessageContaining("keeps the triggers from being changed");
            open.rollback();
        }

        install(table);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO ? VALUES (3, 'three')",
                "INSERT INTO ? VALUES (1, 'x') ON DUPLICATE KEY UPDATE line = 'x'",
                "REPLACE INTO ? VALUES (1, 'x')",
                "UPDATE ? SET line = 'x'",
                "DELETE FROM ?"
            })
    void no_row_passes_without_a_token(String statement) throws SQLException {
        create();
        install(table);

        assertThatThrownBy(() -> DATABASE.execute(statement.replace("?", table)))
                .hasMessageContaining("pass without a token");

        assertThat(DATABASE.column("SELECT line FROM " + table + " ORDER BY id"))
                .containsExactly("one", "two");
    }

    @Test
    void a_fenced_transaction_passes_and_a_stale_one_does_not() throws Exception {
        create();
        install(table);
        SqlWork update = connection -> Sql.execute(connection, "UPDATE " + table + " SET line = 'x' WHERE id = 1");

        fence.write(Terms.of(5), update);
        fence.write(Terms.of(6), update);

        assertThatThrownBy(() -> fence.write(Terms.of(5), update)).isInstanceOf(StaleTokenException.class);
    }

    /** However the transaction was ended: the next borrower of the connection shows nothing. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "COMMIT",
                "ROLLBACK",
                "SET autocommit = 1",
                "START TRANSACTION",
                "CREATE TABLE ?_made (id INT)",
                "CREATE OR REPLACE VIEW ?_seen AS SELECT 1",
                "DROP TABLE IF EXISTS ?_missing",
                "ANALYZE TABLE ?",
                "TRUNCATE TABLE tenure_spare",
                "CALL tenure_commits()"
            })
    void a_token_is_gone_with_its_transaction_also_from_a_pool(String end) throws Exception {
        create();
        install(table);
        DATABASE.execute(
                "CREATE TABLE IF NOT EXISTS tenure_spare (id INT)",
                "CREATE PROCEDURE IF NOT EXISTS tenure_commits() BEGIN COMMIT; END");
        try (Connection connection = DATABASE.connect()) {
            connection.setAutoCommit(false);
            TriggeredTable.present(DATABASE, connection, resource, Terms.of(5));
            Sql.execute(connection, "UPDATE " + table + " SET line = 'x' WHERE id = 1");
            Sql.execute(connection, "UPDATE " + table + " SET line = 'y' WHERE id = 2");

            Sql.execute(connection, end.replace("?", table));

            assertThatThrownBy(() -> Sql.execute(connection, "DELETE FROM " + table))
                    .hasMessageContaining("pass without a token");
            connection.rollback();
            Sql.execute(connection, "SET autocommit = 1");
            assertThatThrownBy(() -> Sql.execute(connection, "DELETE FROM " + table))
                    .hasMessageContaining("pass without a token");
            connection.setAutoCommit(true);
        }
    }

    /** It would be a transaction by itself, and what comes after it would be unfenced. */
    @Test
    void no_token_is_shown_outside_a_transaction() throws Exception {
        create();
        install(table);
        try (Connection connection = DATABASE.connect()) {

            Throwable refused =
                    catchThrowable(() -> TriggeredTable.present(DATABASE, connection, resource, Terms.of(5)));

            assertThat(refused).hasMessageContaining("needs a transaction");
            assertThatThrownBy(() -> Sql.execute(connection, "DELETE FROM " + table))
                    .hasMessageContaining("pass without a token");
        }
    }

    /** See {@link WrongPatternsTest}: its PREPARE lets go of the fence before its COMMIT. */
    @Test
    void no_token_is_shown_on_a_connection_that_uses_xa() throws Exception {
        create();
        install(table);
        try (Connection connection = DATABASE.connect()) {
            Sql.execute(connection, "XA START '" + table + "'");

            Throwable during =
                    catchThrowable(() -> TriggeredTable.present(DATABASE, connection, resource, Terms.of(5)));
            Sql.execute(connection, "XA END '" + table + "'");
            Sql.execute(connection, "XA ROLLBACK '" + table + "'");
            connection.setAutoCommit(false);
            Throwable afterwards =
                    catchThrowable(() -> TriggeredTable.present(DATABASE, connection, resource, Terms.of(5)));

            assertThat(during).hasMessageContaining("has used XA");
            assertThat(afterwards).hasMessageContaining("has used XA");
        }
    }

    @Test
    void a_fence_is_not_entered_in_an_xa_transaction() throws Exception {
        fence.raise(Terms.of(5));
        try (Connection connection = DATABASE.connect()) {
            connection.setAutoCommit(false);
            Sql.execute(connection, "XA START '" + table + "'");

            assertThatThrownBy(() -> fence.enter(connection, Terms.of(5))).hasMessageContaining("has used XA");

            Sql.execute(connection, "XA END '" + table + "'");
            Sql.execute(connection, "XA ROLLBACK '" + table + "'");
        }
    }

    @Test
    void a_token_is_gone_when_the_server_has_rolled_back_a_deadlock() throws Exception {
        create();
        install(table);
        try (Connection connection = DATABASE.connect();
                Connection other = DATABASE.connect();
                Encounter threads = new Encounter(DATABASE, Isolation.READ_COMMITTED)) {
            String spare = DATABASE.freshLedger();
            DATABASE.execute("INSERT INTO " + spare + " (line) VALUES ('one'), ('two')");
            Sql.execute(connection, "START TRANSACTION");
            TriggeredTable.present(DATABASE, connection, resource, Terms.of(5));
            Sql.execute(connection, "UPDATE " + spare + " SET line = 'x' WHERE id = 1");
            other.setAutoCommit(false);
            Sql.execute(other, "UPDATE " + spare + " SET line = 'y' WHERE id = 2");
            Sql.execute(other, "INSERT INTO " + spare + " (line) VALUES ('heavier'), ('to'), ('roll'), ('back')");
            String id = DATABASE.idOf(other);
            CompletableFuture<Void> waiting =
                    threads.inBackground(() -> Sql.execute(other, "UPDATE " + spare + " SET line = 'y' WHERE id = 1"));
            threads.await(waiting, id);

            Throwable deadlock =
                    catchThrowable(() -> Sql.execute(connection, "UPDATE " + spare + " SET line = 'x' WHERE id = 2"));

            assertThat(deadlock).hasMessageContaining("Deadlock");
            assertThatThrownBy(() -> Sql.execute(connection, "DELETE FROM " + table))
                    .hasMessageContaining("pass without a token");
            Encounter.done(waiting);
        }
    }

    @Test
    void what_a_transaction_does_besides_does_not_take_its_token() throws Exception {
        create();
        install(table);
        String procedure = Database.freshName("procedure");
        DATABASE.execute("CREATE PROCEDURE " + procedure + "() DELETE FROM " + table + " WHERE id = 1");
        try (Connection connection = DATABASE.connect()) {
            connection.setAutoCommit(false);
            TriggeredTable.present(DATABASE, connection, resource, Terms.of(5));

            Sql.execute(connection, "CREATE TEMPORARY TABLE spare (id INT)");
            Sql.execute(connection, "DROP TEMPORARY TABLE spare");
            Savepoint savepoint = connection.setSavepoint();
            Sql.execute(connection, "UPDATE " + table + " SET line = 'undone'");
            connection.rollback(savepoint);
            Sql.execute(connection, "SHOW WARNINGS");
            assertThat(connection.isValid(1)).isTrue();
            assertThatThrownBy(() -> Sql.execute(connection, "SELECT nonsense"));
            Sql.execute(connection, "DO SLEEP(0)");
            Sql.execute(connection, "CALL " + procedure + "()");
            connection.commit();

            assertThat(DATABASE.column("SELECT line FROM " + table)).containsExactly("two");
        }
    }

    @Test
    void a_fence_that_knew_of_no_trigger_finds_out_when_it_is_refused() throws Exception {
        create();
        SqlWork delete = connection -> Sql.execute(connection, "DELETE FROM " + table + " WHERE id = 1");
        fence.write(Terms.of(5), connection -> {});
        install(table);

        for (int attempt = 1; attempt <= 2; attempt++) {
            try {
                fence.write(Terms.of(5), delete);
            } catch (SQLException refused) {
                assertThat(refused.getMessage()).contains("pass without a token");
            }
        }

        assertThat(DATABASE.column("SELECT line FROM " + table)).containsExactly("two");
    }

    @Test
    void the_status_tells_what_grants_and_cascades_leave_open() throws SQLException {
        create();
        String lines = Database.freshName("lines");
        DATABASE.execute("CREATE TABLE " + lines + " (id INT PRIMARY KEY, book INT, FOREIGN KEY (book) REFERENCES "
                + table + " (id) ON DELETE CASCADE)");

        install(table, lines);

        assertThat(state(table).open())
                .singleElement()
                .asString()
                .contains("TRUNCATE and DROP", "'tenure'@'127.0.0.1'");
        assertThat(state(lines).open()).anyMatch(line -> line.contains("a change of " + table));
        DATABASE.execute("DROP TRIGGER tenure_fence_u_" + table);
        assertThat(state(table).open()).anyMatch(line -> line.contains("2 triggers instead of 3"));
    }

    @Test
    void what_cannot_be_covered_is_refused_by_name() throws SQLException {
        String plain = Database.freshName("plain");
        DATABASE.execute("CREATE TABLE " + plain + " (id INT) ENGINE = Aria");

        assertThatThrownBy(() -> install(plain)).hasMessageContaining("has no transactions");
        assertThatThrownBy(() -> install("no_such_table")).hasMessageContaining("no table no_such_table");
        assertThatThrownBy(() -> install("x`; DROP TABLE y")).hasMessageContaining("not the plain name");
    }

    @Test
    void after_an_uninstall_everybody_writes_again() throws Exception {
        create();
        install(table);

        try (Connection connection = DATABASE.source().getConnection()) {
            TableGuard.at(connection).uninstall(List.of(table));
        }

        assertThatCode(() -> DATABASE.execute("DELETE FROM " + table)).doesNotThrowAnyException();
    }
}
