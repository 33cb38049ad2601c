// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.StaleTokenException;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/** Tables of PostgreSQL behind triggers, and every way to write to them. */
@Tag("server")
class PostgresGuardTest {
    private static final Database DATABASE = Database.POSTGRESQL;

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

    private static void assertRefused(String statement) {
        SQLException refused = catchThrowableOfType(SQLException.class, () -> DATABASE.execute(statement));
        assertThat(refused != null).as(statement).isTrue();
        assertThat(refused.getSQLState()).as(statement + ": " + refused).isEqualTo("TF001");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO ? VALUES (3, 'three')",
                "INSERT INTO ? VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET line = 'x'",
                "UPDATE ? SET line = 'x'",
                "DELETE FROM ?",
                "TRUNCATE ?",
                "WITH gone AS (DELETE FROM ? RETURNING id) SELECT count(*) FROM gone",
                "MERGE INTO ? t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE",
                "SET LOCAL session_replication_role = replica; DELETE FROM ?"
            })
    void no_statement_passes_without_a_token(String statement) throws SQLException {
        create();
        install(table);

        assertRefused(statement.replace("?", table));

        assertThat(DATABASE.column("SELECT line FROM " + table + " ORDER BY id"))
                .containsExactly("one", "two");
    }

    @Test
    void copy_does_not_pass_without_a_token() throws Exception {
        create();
        install(table);

        try (Connection connection = DATABASE.source().getConnection()) {
            assertThatThrownBy(() -> connection
                            .unwrap(PGConnection.class)
                            .getCopyAPI()
                            .copyIn("COPY " + table + " FROM STDIN (FORMAT csv)", new StringReader("3,three\n")))
                    .hasMessageContaining("without a token");
        }
    }

    @Test
    void a_cascade_does_not_pass_without_a_token() throws SQLException {
        create();
        String lines = Database.freshName("lines");
        DATABASE.execute(
                "CREATE TABLE " + lines + " (book INT REFERENCES " + table + " ON DELETE CASCADE)",
                "INSERT INTO " + lines + " VALUES (1)");
        install(lines);

        assertRefused("DELETE FROM " + table);
        assertRefused("TRUNCATE " + table + " CASCADE");
    }

    @Test
    void a_fenced_transaction_passes_and_a_stale_one_does_not() throws Exception {
        create();
        install(table);
        SqlWork update = connection -> Sql.execute(connection, "UPDATE " + table + " SET line = 'x' WHERE id = 1");

        fence.write(Terms.of(5), update);
        fence.write(Terms.of(6), update);

        assertThatThrownBy(() -> fence.write(Terms.of(5), update)).isInstanceOf(StaleTokenException.class);
        assertThat(DATABASE.column("SELECT line FROM " + table + " ORDER BY id"))
                .containsExactly("x", "two");
    }

    @Test
    void a_token_is_gone_with_its_transaction_also_from_a_pool() throws Exception {
        create();
        install(table);

        try (Connection connection = DATABASE.source().getConnection()) {
            connection.setAutoCommit(false);
            TriggeredTable.present(DATABASE, connection, resource, Terms.of(5));
            Sql.execute(connection, "DELETE FROM " + table + " WHERE id = 1");
            connection.commit();
            assertThatThrownBy(() -> Sql.execute(connection, "DELETE FROM " + table))
                    .hasMessageContaining("without a token");
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    @Test
    void partitions_are_covered_also_those_that_come_later() throws SQLException {
        String early = Database.freshName("early");
        String late = Database.freshName("late");
        String attached = Database.freshName("attached");
        DATABASE.execute(
                "CREATE TABLE " + table + " (id INT, line TEXT) PARTITION BY RANGE (id)",
                "CREATE TABLE " + early + " PARTITION OF " + table + " FOR VALUES FROM (0) TO (10)",
                "INSERT INTO " + table + " VALUES (1, 'one')");
        install(table);
        DATABASE.execute(
                "CREATE TABLE " + late + " PARTITION OF " + table + " FOR VALUES FROM (10) TO (20)",
                "CREATE TABLE " + attached + " (id INT, line TEXT)",
                "INSERT INTO " + attached + " VALUES (20, 'twenty')",
                "ALTER TABLE " + table + " ATTACH PARTITION " + attached + " FOR VALUES FROM (20) TO (30)");

        for (String each : List.of(table, early, late, attached)) {
            int id = each.equals(late) ? 11 : each.equals(attached) ? 21 : 2;
            assertRefused("INSERT INTO " + each + " VALUES (" + id + ", 'x')");
            assertRefused(
                    "SET LOCAL session_replication_role = replica; INSERT INTO " + each + " VALUES (" + id + ", 'x')");
        }
        assertRefused("DELETE FROM " + attached);
        assertRefused("UPDATE " + early + " SET line = 'x'");
        assertRefused("TRUNCATE " + early);
        assertThat(state(table).open()).hasSize(2).allMatch(line -> line.contains("TRUNCATE of the partition"));

        install(table);

        assertRefused("TRUNCATE " + attached);
        assertRefused("TRUNCATE " + late);
        assertThat(state(table).open()).isEmpty();
    }

    @Test
    void what_cannot_be_covered_is_refused_by_name() throws SQLException {
        create();
        String view = Database.freshName("view");
        String heir = Database.freshName("heir");
        String parent = Database.freshName("parent");
        DATABASE.execute(
                "CREATE VIEW " + view + " AS SELECT * FROM " + table,
                "CREATE TABLE " + parent + " (id INT)",
                "CREATE TABLE " + heir + " () INHERITS (" + parent + ")");

        assertThatThrownBy(() -> install(view)).hasMessageContaining(view + " cannot be fenced: it is not a table");
        assertThatThrownBy(() -> install(parent)).hasMessageContaining("inherit from it");
        assertThatThrownBy(() -> install("no_such_table")).hasMessageContaining("no table no_such_table");
        install(table);
        assertThatThrownBy(() -> install("tenure_fence")).hasMessageContaining("it is the fence");
    }

    @Test
    void a_table_and_a_resource_belong_to_one_fence_and_one_election() throws SQLException {
        create();
        install(table);

        try (Connection connection = DATABASE.source().getConnection()) {
            TableGuard guard = TableGuard.at(connection);
            assertThatThrownBy(() -> guard.install(resource, ElectionName.of("another"), List.of(table)))
                    .hasMessageContaining(Terms.ELECTION.value())
                    .hasMessageContaining("another");
            assertThatThrownBy(() -> guard.install("other-" + resource, Terms.ELECTION, List.of(table)))
                    .hasMessageContaining("is fenced by " + resource);
        }
    }

    @Test
    void the_status_tells_of_triggers_that_do_not_fire() throws SQLException {
        create();
        install(table);
        assertThat(state(table).open()).isEmpty();
        assertThat(state(table).known()).anyMatch(line -> line.contains("owner tenure"));

        DATABASE.execute("ALTER TABLE " + table + " DISABLE TRIGGER tenure_fence");
        assertThat(state(table).open()).singleElement().asString().contains("is disabled");
        DATABASE.execute("ALTER TABLE " + table + " ENABLE TRIGGER tenure_fence");
        assertThat(state(table).open()).singleElement().asString().contains("session_replication_role");

        install(table);
        assertThat(state(table).open()).isEmpty();
    }

    @Test
    void an_operator_raises_a_fence_and_it_never_goes_back() throws Exception {
        create();
        install(table);
        fence.raise(Terms.of(5));
        try (Connection connection = DATABASE.source().getConnection()) {
            TableGuard guard = TableGuard.at(connection);

            FencingToken raised = guard.raise(resource, Optional.empty(), Optional.empty());

            assertThat(raised.value()).isEqualTo(6);
            assertThatThrownBy(() -> fence.write(Terms.of(6), each -> {})).isInstanceOf(StaleTokenException.class);
            assertThatThrownBy(() -> guard.raise(resource, Optional.of(new FencingToken(6)), Optional.empty()))
                    .hasMessageContaining("never goes back");
            fence.write(Terms.of(7), each -> {});
        }
    }

    @Test
    void after_an_uninstall_everybody_writes_again_and_the_fence_still_knows() throws Exception {
        create();
        install(table);
        fence.raise(Terms.of(6));

        try (Connection connection = DATABASE.source().getConnection()) {
            TableGuard.at(connection).uninstall(List.of(table));
        }

        DATABASE.execute("DELETE FROM " + table);
        assertThatThrownBy(() -> fence.raise(Terms.of(5))).isInstanceOf(StaleTokenException.class);
    }

    /** The function of the triggers runs with its owner's rights, and finds what it needs without the caller's help. */
    @Test
    void a_user_without_rights_on_the_fence_can_write_with_a_token_and_not_without() throws Exception {
        create();
        install(table);
        String user = Database.freshName("clerk");
        DATABASE.execute("CREATE ROLE " + user, "GRANT SELECT, INSERT, UPDATE, DELETE ON " + table + " TO " + user);
        try (Connection connection = DATABASE.source().getConnection()) {
            connection.setAutoCommit(false);
            Sql.execute(connection, "SET LOCAL ROLE " + user);
            Sql.execute(
                    connection,
                    "CREATE TEMP TABLE tenure_fence (resource TEXT, election TEXT, token BIGINT, nonce TEXT)");
            TriggeredTable.present(DATABASE, connection, resource, Terms.of(5));
            Sql.execute(connection, "DELETE FROM " + table + " WHERE id = 1");
            connection.rollback();
            Sql.execute(connection, "SET LOCAL ROLE " + user);
            assertThatThrownBy(() -> Sql.execute(connection, "DELETE FROM " + table))
                    .hasMessageContaining("without a token");
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    @Test
    void functions_of_the_callers_own_do_not_take_the_place_of_the_servers() throws Exception {
        create();
        install(table);
        String schema = Database.freshName("own");
        DATABASE.execute(
                "CREATE SCHEMA " + schema,
                "CREATE FUNCTION " + schema + ".current_setting(text, boolean) RETURNS text LANGUAGE sql AS"
                        + " $$ SELECT '" + FenceDialect.shown(Terms.of(5)) + "' $$");

        assertRefused("SET LOCAL search_path = " + schema + ", pg_catalog, public; DELETE FROM " + table);

        assertThat(DATABASE.column("SELECT line FROM " + table + " ORDER BY id"))
                .containsExactly("one", "two");
    }
}
