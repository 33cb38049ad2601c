// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.Tenure;
import dev.tenure.sql.servers.Postgres;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The grade is what the database says of itself, once it was asked. */
@Tag("server")
class GradeTest {
    @Test
    void a_postgres_alone_is_grade_c() {
        String url = SharedServers.inNamespace(SharedServers.postgres().url(), "grade");

        try (Client client = Client.of(url)) {
            client.read("c/a");

            assertThat(client.store().traits().grade()).isEqualTo(Grade.C);
            assertThat(client.store().traits().gradeReason()).contains("failover");
        }
    }

    @Test
    void a_postgres_with_a_synchronous_standby_is_grade_b() {
        try (Postgres primary = Postgres.running();
                Postgres standby = primary.standby();
                Client client = Client.of(primary.url())) {
            primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()");
            Awaitility.await()
                    .atMost(Client.PATIENCE)
                    .until(() -> primary.ask("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")
                            .equals("1"));

            client.read("c/a");

            assertThat(standby.isRunning()).isTrue();
            assertThat(client.store().traits().grade()).isEqualTo(Grade.B);

            primary.execute(
                    "ALTER SYSTEM RESET synchronous_standby_names",
                    "SELECT pg_reload_conf()",
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%tenure_records%'"
                            + " AND pid <> pg_backend_pid()");
            Awaitility.await()
                    .atMost(Client.PATIENCE)
                    .ignoreExceptions()
                    .until(() -> client.read("c/a").key(), "c/a"::equals);
            assertThat(client.store().traits().grade())
                    .as("asked again, because a new connection may lead to another server")
                    .isEqualTo(Grade.C);
        }
    }

    @Test
    void a_database_without_standbys_is_refused_at_once_where_more_is_required() {
        assertThatThrownBy(() -> Tenure.connect("jdbc:h2:mem:grade")
                        .requireGrade(Grade.B)
                        .open())
                .hasMessageContaining("grade B was required");
        assertThatThrownBy(() -> Tenure.connect("jdbc:h2:mem:grade")
                        .requireScope(Scope.CLUSTER)
                        .open())
                .isInstanceOf(IllegalArgumentException.class);
    }
}
