// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.testing.FakeElections;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What only PostgreSQL can do: change tables in a transaction, and make an index beside others. */
@Tag("server")
class MigrationOnPostgresTest {
    private Postgres server;
    private HikariDataSource database;
    private final FakeElections elections = FakeElections.create();

    @BeforeEach
    void start() {
        server = Postgres.running();
        database = new HikariDataSource();
        database.setJdbcUrl(server.url());
        database.setMinimumIdle(0);
    }

    @AfterEach
    void stop() {
        elections.close();
        database.close();
        server.close();
    }

    private Migration on(String node) {
        return Migration.of(elections.node(node).tenure(), "billing", Journal.jdbc(database));
    }

    @Test
    void a_script_that_fails_leaves_nothing_behind() throws Exception {
        SqlStep script = SqlStep.script("CREATE TABLE invoice (id INT)", "INSERT INTO receipt VALUES (1)");
        assertThatThrownBy(() -> on("a").step("1", script).run(ofMinutes(1))).hasMessageContaining("statement 2");
        assertThat(Databases.ask(database, "SELECT to_regclass('invoice')")).containsExactly("null");

        server.execute("CREATE TABLE receipt (id INT)");
        assertThat(on("a").step("1", script).run(ofMinutes(1))).isEqualTo(1);
        assertThat(server.ask("SELECT COUNT(*) FROM receipt")).isEqualTo("1");
    }

    @Test
    void an_index_is_made_outside_and_a_broken_one_made_again() throws Exception {
        Migration migration = on("a").step("1", SqlStep.script("CREATE TABLE invoice (id INT)"))
                .step(
                        "2",
                        SqlStep.outside("CREATE INDEX CONCURRENTLY by_id ON invoice (id)")
                                .undoIfBroken("DROP INDEX IF EXISTS by_id"));
        assertThat(migration.run(ofMinutes(1))).isEqualTo(2);
        server.execute("UPDATE tenure_migration SET state = 'RUNNING' WHERE step = '2'");

        assertThat(migration.run(ofMinutes(1))).isEqualTo(1);
        assertThat(server.ask("SELECT COUNT(*) FROM pg_indexes WHERE indexname = 'by_id'"))
                .isEqualTo("1");
    }

    @Test
    void a_dump_from_the_middle_of_a_migration_is_restored_and_finished() throws Exception {
        server.execute("CREATE TABLE invoice (id INT)");
        elections.node("a").host().runDuty("migration", () -> {
            try {
                on("a").step("1", SqlStep.script("INSERT INTO invoice VALUES (1)"))
                        .step("2", leadership -> leadership.rest(java.time.Duration.ofHours(1)))
                        .run(ofMinutes(30));
            } catch (Exception ended) {
                throw new IllegalStateException(ended);
            }
        });
        elections.advance(java.time.Duration.ofSeconds(10));
        Path dump = server.dump("tenure_migration");
        elections.crashNode("a");
        server.execute("DELETE FROM tenure_migration");
        server.restore(dump);

        int applied = on("b").step("1", SqlStep.script("INSERT INTO invoice VALUES (1)"))
                .step("2", leadership -> leadership.ensureValid())
                .run(ofMinutes(1));

        assertThat(applied).isEqualTo(1);
        assertThat(server.ask("SELECT COUNT(*) FROM invoice")).isEqualTo("1");
    }
}
