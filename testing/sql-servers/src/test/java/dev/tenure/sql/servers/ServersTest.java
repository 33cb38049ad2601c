// SPDX-License-Identifier: Apache-2.0
package dev.tenure.sql.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.support.Certificates;
import dev.tenure.support.TcpLink;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("server")
class ServersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Executor HERE = Runnable::run;

    @Test
    void a_postgres_keeps_its_data_over_a_crash() {
        try (Postgres server = Postgres.running()) {
            keepsItsDataOverACrash(server);
        }
    }

    @Test
    void a_mariadb_keeps_its_data_over_a_crash() {
        try (MariaDb server = MariaDb.running("--innodb-flush-log-at-trx-commit=1")) {
            keepsItsDataOverACrash(server);
        }
    }

    private static void keepsItsDataOverACrash(SqlServer server) {
        server.execute("CREATE TABLE kept (word VARCHAR(10))", "INSERT INTO kept VALUES ('here')");

        server.kill();
        boolean ran = server.isRunning();
        server.start();

        assertThat(ran).isFalse();
        assertThat(server.ask("SELECT word FROM kept")).isEqualTo("here");
    }

    @Test
    void a_frozen_server_is_silent_until_it_goes_on() throws SQLException {
        try (Postgres server = Postgres.running();
                Connection connection = server.connect()) {
            connection.setNetworkTimeout(HERE, 300);
            server.freeze();

            assertThatThrownBy(() -> connection.createStatement().execute("SELECT 1"))
                    .isInstanceOfAny(SQLException.class, SQLTimeoutException.class);
            server.goOn();

            assertThat(server.ask("SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void a_standby_follows_and_can_be_promoted() {
        try (Postgres primary = Postgres.running();
                Postgres standby = primary.standby()) {
            primary.execute("CREATE TABLE kept (word VARCHAR(10))", "INSERT INTO kept VALUES ('here')");
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> standby.ask("SELECT count(*) FROM pg_tables WHERE tablename = 'kept'")
                            .equals("1"));

            primary.kill();
            standby.promote();
            standby.execute("INSERT INTO kept VALUES ('after')");

            assertThat(standby.ask("SELECT pg_is_in_recovery()")).isEqualTo("f");
        }
    }

    @Test
    void a_standby_behind_a_relay_that_was_cut_lacks_what_came_after() {
        try (Postgres primary = Postgres.running();
                TcpLink relay = new TcpLink(primary.port());
                Postgres standby = primary.standbyThrough(relay)) {
            primary.execute("CREATE TABLE kept (word VARCHAR(10))");
            primary.awaitReplicated();
            relay.cut();
            primary.execute("INSERT INTO kept VALUES ('late')");

            primary.kill();
            standby.promote();

            assertThat(standby.ask("SELECT count(*) FROM kept")).isEqualTo("0");
        }
    }

    @Test
    void the_clock_of_one_server_can_be_moved() {
        try (Postgres primary = Postgres.onItsOwnClock();
                Postgres standby = primary.standby()) {
            standby.clock().move(Duration.ofHours(-1));

            long apart = secondsOf(primary) - secondsOf(standby);

            assertThat(apart).isBetween(3500L, 3700L);
        }
    }

    /** Of two the one with the longer time goes first, because the other had begun to count before. */
    @Test
    void a_timeout_waits_for_a_clock_that_was_set_back_as_with_a_real_clock() throws SQLException {
        try (Postgres server = Postgres.onItsOwnClock();
                Connection before = server.connect();
                Connection after = server.connect()) {
            int waits = endWhenIdle(before, "1s");
            server.clock().move(Duration.ofHours(-1));
            int ends = endWhenIdle(after, "2s");

            Awaitility.await().atMost(PATIENCE).until(() -> !isConnected(server, ends));

            assertThat(isConnected(server, waits)).isTrue();
        }
    }

    private static int endWhenIdle(Connection connection, String timeout) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT pg_backend_pid(), set_config('idle_session_timeout', '" + timeout + "', false)")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private static boolean isConnected(Postgres server, int pid) {
        return server.ask("SELECT count(*) FROM pg_stat_activity WHERE pid = " + pid)
                .equals("1");
    }

    private static long secondsOf(Postgres server) {
        return Long.parseLong(server.ask("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS BIGINT)"));
    }

    @Test
    void a_table_can_be_restored_from_a_dump() {
        try (Postgres server = Postgres.running()) {
            server.execute("CREATE TABLE kept (word VARCHAR(10))", "INSERT INTO kept VALUES ('here')");
            Path dump = server.dump("kept");
            server.execute("UPDATE kept SET word = 'changed'");

            server.restore(dump);

            assertThat(server.ask("SELECT word FROM kept")).isEqualTo("here");
        }
    }

    @ParameterizedTest
    @EnumSource(PgBouncer.Pooling.class)
    void a_pgbouncer_lets_clients_through(PgBouncer.Pooling pooling) {
        try (Postgres server = Postgres.running();
                PgBouncer bouncer = PgBouncer.before(server, pooling, 2)) {
            server.execute("CREATE TABLE kept (word VARCHAR(10))", "INSERT INTO kept VALUES ('here')");

            assertThat(bouncer.ask("SELECT word FROM kept")).isEqualTo("here");
        }
    }

    @Test
    void a_server_with_tls_is_told_apart_from_one_with_a_certificate_for_another_host(@TempDir Path folder) {
        Certificates certificates = Certificates.in(folder, "tenure");
        String verified = "&sslmode=verify-full&sslrootcert=" + certificates.file("ca.pem");
        try (Postgres right = Postgres.withTls(certificates, "server");
                Postgres wrong = Postgres.withTls(certificates, "elsewhere")) {
            assertThatCode(() ->
                            DriverManager.getConnection(right.url() + verified).close())
                    .doesNotThrowAnyException();
            assertThatThrownBy(() -> DriverManager.getConnection(wrong.url() + verified))
                    .hasMessageContaining("127.0.0.1");
        }
    }
}
