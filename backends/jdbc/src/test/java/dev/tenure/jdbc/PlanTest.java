// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static dev.tenure.jdbc.SharedServers.inNamespace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.Redactor;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import dev.tenure.sql.servers.SqlServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A heartbeat looks for requests among thousands of elections, and must not read them all. */
@Tag("server")
class PlanTest {
    private static final int MANY = 2_000;

    private static void fill(SqlServer server) {
        try (Client client = Client.of(inNamespace(server.url(), "plan"))) {
            List<CompletionStage<WriteReply>> calls = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                Versioned absent = Versioned.absent("c/election" + i, 0);
                calls.add(client.store().compareAndSet(new Write(absent, "held", Optional.empty(), 0)));
            }
            calls.forEach(Client::reply);
        }
    }

    private static RecordTable records(String product) {
        JdbcOptions options = JdbcOptions.standard().prefix("t_plan_");
        return DatabaseAccess.Database.of(Dialect.of(product), "here", options, Redactor::withoutKnown)
                .records();
    }

    private static List<String> explain(SqlServer server, String statement, String column, String... parameters)
            throws SQLException {
        try (Connection connection = server.connect();
                PreparedStatement explain = connection.prepareStatement("EXPLAIN " + statement)) {
            for (int i = 0; i < parameters.length; i++) {
                explain.setString(i + 1, parameters[i]);
            }
            List<String> plan = new ArrayList<>();
            try (ResultSet rows = explain.executeQuery()) {
                while (rows.next()) {
                    plan.add(String.valueOf(rows.getString(column)));
                }
            }
            return plan;
        }
    }

    @Test
    void mariadb_finds_requests_and_records_by_the_primary_key() throws SQLException {
        SqlServer server = SharedServers.mariaDb();
        fill(server);
        RecordTable records = records("mariadb");

        assertThat(explain(server, records.list, "key", "o/", "o0")).contains("PRIMARY");
        assertThat(explain(server, records.list, "type", "o/", "o0")).doesNotContain("ALL", "index");
        assertThat(explain(server, records.reading(2), "type", "c/election1", "c/a"))
                .doesNotContain("ALL", "index");
    }

    @Test
    void postgres_finds_requests_and_records_by_the_primary_key() throws SQLException {
        SqlServer server = SharedServers.postgres();
        fill(server);
        server.execute("ANALYZE t_plan_records");
        RecordTable records = records("postgresql");

        assertThat(explain(server, records.list, "QUERY PLAN", "o/", "o0")).noneMatch(PlanTest::readsAll);
        assertThat(explain(server, records.reading(2).replace("?", "?::text[]"), "QUERY PLAN", "{c/election1,c/a}"))
                .noneMatch(PlanTest::readsAll);
        String renewing = records.updateAndRead
                .orElseThrow()
                .replace("unnest(?, ?)", "unnest(?::text[], ?::text[])")
                .replace("+ ?", "+ ?::bigint");
        String[] renewal = {"v2", "beat", "1000", "s/a", "v1", "{c/election1,o/}", "{c/election1!,o0}"};
        assertThat(explain(server, renewing, "QUERY PLAN", renewal)).noneMatch(PlanTest::readsAll);
    }

    private static boolean readsAll(String line) {
        return line.contains("Seq Scan");
    }
}
