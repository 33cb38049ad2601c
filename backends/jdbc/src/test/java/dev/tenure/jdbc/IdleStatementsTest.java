// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tenure.Tenure;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.SqlServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A process to which nothing happens sends its heartbeats, and nothing else. Each has a user of its own, so that PostgreSQL counts
 * the statements of each, with BEGIN, COMMIT and SET if there were any.
 */
@Tag("server")
class IdleStatementsTest {
    private static final Duration TTL = Duration.ofSeconds(4);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    /** Six TTLs of one that leads, whose heartbeats are the more frequent ones. */
    private static final int HEARTBEATS = 24;
    /** One that has begun is counted a moment later, a listener looks at its channel once, and an answer can be late. */
    private static final int OTHERS_MAX = 4;

    private static final String CALLS = "SELECT coalesce(sum(s.calls), 0) FROM pg_stat_statements s"
            + " JOIN pg_roles r ON r.oid = s.userid WHERE r.rolname = ";
    private static final String RENEWING = " AND s.query LIKE '%UPDATE %_records SET%'";

    private static final int STALLS_MAX = 3;

    /** Which connections and sessions there are. */
    private static final String CONTACT = "SELECT concat_ws(' ',"
            + " (SELECT string_agg(pid || '@' || extract(epoch FROM backend_start), ',' ORDER BY pid)"
            + " FROM pg_stat_activity WHERE usename LIKE '%leader' OR usename LIKE '%standby'),"
            + " (SELECT string_agg(id, ',' ORDER BY id) FROM url_records WHERE id LIKE 's/%'),"
            + " (SELECT string_agg(id, ',' ORDER BY id) FROM pool_records WHERE id LIKE 's/%'))";

    private final Postgres server = Postgres.running("shared_preload_libraries=pg_stat_statements");

    private Stander byUrl(String user, String prefix) {
        create(user);
        String url = server.plainUrl(SqlServer.DATABASE) + "?user=" + user + "&password=" + SqlServer.PASSWORD;
        return Stander.at(url + "&tenure.prefix=" + prefix, TTL);
    }

    private Stander byPool(String user, String prefix, List<HikariDataSource> pools) {
        create(user);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.plainUrl(SqlServer.DATABASE));
        config.setUsername(user);
        config.setPassword(SqlServer.PASSWORD);
        HikariDataSource pool = new HikariDataSource(config);
        pools.add(pool);
        JdbcOptions options = JdbcOptions.standard().prefix(prefix);
        return Stander.of(Tenure.using(host -> JdbcStore.open(pool, options, host))
                .ttl(TTL)
                .open());
    }

    private void create(String user) {
        server.execute("CREATE ROLE " + user + " SUPERUSER LOGIN PASSWORD '" + SqlServer.PASSWORD + "'");
    }

    private long count(String user, String which) {
        return Long.parseLong(server.ask(CALLS + "'" + user + "'" + which));
    }

    private String statements(String user) {
        return server.ask("SELECT string_agg(s.calls || ' ' || s.query, E'\\n') FROM pg_stat_statements s"
                + " JOIN pg_roles r ON r.oid = s.userid WHERE r.rolname = '" + user + "'");
    }

    @Test
    void an_idle_process_sends_one_statement_with_each_heartbeat() throws InterruptedException {
        server.execute("CREATE EXTENSION pg_stat_statements");
        List<HikariDataSource> pools = new ArrayList<>();
        try (server;
                Stander leader = byUrl("leader", "url_");
                Stander pooledLeader = byPool("pooled_leader", "pool_", pools)) {
            leader.awaitLeadership();
            pooledLeader.awaitLeadership();
            try (Stander standby = byUrl("standby", "url_");
                    Stander pooledStandby = byPool("pooled_standby", "pool_", pools)) {
                awaitHeartbeats("standby", 5);
                awaitHeartbeats("pooled_standby", 5);
                awaitSixTtlsWithoutStall();

                for (String user : List.of("leader", "standby", "pooled_leader", "pooled_standby")) {
                    long heartbeats = count(user, RENEWING);
                    assertThat(count(user, ""))
                            .as("statements of the %s with %s heartbeats: %s", user, heartbeats, statements(user))
                            .isLessThanOrEqualTo(heartbeats + OTHERS_MAX);
                }
            }
        } finally {
            pools.forEach(HikariDataSource::close);
        }
    }

    /** A machine that stalls for seconds can cost a connection or a session. Then the counting begins again. */
    private void awaitSixTtlsWithoutStall() {
        for (int stall = 0; stall < STALLS_MAX; stall++) {
            server.ask("SELECT pg_stat_statements_reset()");
            String before = server.ask(CONTACT);
            awaitHeartbeats("leader", HEARTBEATS);
            if (server.ask(CONTACT).equals(before)) {
                return;
            }
            System.out.println("verify: IdleStatementsTest: begins again, for connections or sessions are new");
        }
        throw new AssertionError("connections or sessions were lost in each of " + STALLS_MAX + " attempts");
    }

    private void awaitHeartbeats(String user, int heartbeats) {
        Awaitility.await("heartbeats of the " + user).atMost(PATIENCE).until(() -> count(user, RENEWING) >= heartbeats);
    }
}
