// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static dev.tenure.jdbc.SharedServers.inNamespace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Versioned;
import dev.tenure.sql.servers.MariaDb;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.SqlServer;
import dev.tenure.support.Ports;
import java.io.IOException;
import java.net.Socket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each thing that can be wrong with a database has a message of its own, without the password, in bounded time. */
@Tag("server")
class SqlErrorsTest {
    private static final Versioned NOTHING = Versioned.absent("c/a", 0);

    static Stream<SqlServer> servers() {
        return Stream.of(SharedServers.postgres(), SharedServers.mariaDb());
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void nobody_listens(SqlServer server) throws IOException {
        try (Socket nobody = Ports.refusing();
                Client client = Client.of(server.url().replace(":" + server.port(), ":" + nobody.getLocalPort()))) {
            assertTold(client.readFailure(), Kind.UNREACHABLE, "cannot be reached");
            assertThat(client.writeFailure(NOTHING).effect()).isEqualTo(Effect.NONE);
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void the_password_is_wrong(SqlServer server) {
        String url = server.plainUrl(SqlServer.DATABASE) + "?user=tenure&password=kept-in-tests-and-wrong";

        try (Client client = Client.of(url)) {
            assertTold(client.readFailure(), Kind.MISCONFIGURED, "refuses the user or the password");
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void there_is_no_such_database(SqlServer server) {
        String url = server.plainUrl("nowhere") + "?user=tenure&password=" + SqlServer.PASSWORD;

        try (Client client = Client.of(url)) {
            assertTold(client.readFailure(), Kind.MISCONFIGURED, "no such database");
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void the_table_is_missing_and_not_to_be_made(SqlServer server) {
        try (Client client = Client.of(inNamespace(server.url(), "missing") + "&tenure.tables=expect")) {
            assertTold(
                    client.readFailure(), Kind.MISCONFIGURED, "the table t_missing_records is missing", "CREATE TABLE");
        }
    }

    @Test
    void a_user_of_postgres_may_not_create_the_table() {
        Postgres server = SharedServers.postgres();
        server.execute("CREATE ROLE weak LOGIN PASSWORD 'kept-in-tests'");

        try (Client client = Client.of(inNamespace(as("weak", server), "forbidden"))) {
            assertTold(client.readFailure(), Kind.MISCONFIGURED, "not enough privileges", "CREATE TABLE");
        }
    }

    @Test
    void a_user_of_postgres_may_not_write_to_the_table() {
        Postgres server = SharedServers.postgres();
        server.execute("CREATE ROLE reader LOGIN PASSWORD 'kept-in-tests'");
        try (Client strong = Client.of(inNamespace(server.url(), "reading"))) {
            strong.read("c/a");
        }
        server.execute("GRANT SELECT ON t_reading_records TO reader");

        try (Client client = Client.of(inNamespace(as("reader", server), "reading"))) {
            client.read("c/a");
            BackendException failure = client.writeFailure(NOTHING);

            assertTold(failure, Kind.MISCONFIGURED, "not enough privileges", "INSERT");
            assertThat(failure.effect()).isEqualTo(Effect.NONE);
        }
    }

    @Test
    void no_connection_is_left_for_a_user_of_postgres() {
        Postgres server = SharedServers.postgres();
        server.execute("CREATE ROLE many LOGIN CONNECTION LIMIT 0 PASSWORD 'kept-in-tests'");

        try (Client client = Client.of(as("many", server))) {
            assertTold(client.readFailure(), Kind.UNREACHABLE, "has no connection left");
        }
    }

    @Test
    void no_connection_is_left_for_a_user_of_mariadb() throws SQLException {
        MariaDb server = SharedServers.mariaDb();
        server.execute(
                "CREATE USER many@127.0.0.1 IDENTIFIED BY 'kept-in-tests' WITH MAX_USER_CONNECTIONS 1",
                "GRANT ALL ON tenure.* TO many@127.0.0.1");

        try (Connection only = DriverManager.getConnection(as("many", server));
                Client client = Client.of(as("many", server))) {
            assertTold(client.readFailure(), Kind.UNREACHABLE, "has no connection left");
            assertThat(only.isClosed()).isFalse();
        }
    }

    @Test
    void a_user_of_mariadb_may_not_write_to_the_table() {
        MariaDb server = SharedServers.mariaDb();
        try (Client strong = Client.of(inNamespace(server.url(), "forbidden"))) {
            strong.read("c/a");
        }
        server.execute(
                "CREATE USER weak@127.0.0.1 IDENTIFIED BY 'kept-in-tests'",
                "GRANT SELECT ON tenure.t_forbidden_records TO weak@127.0.0.1");

        try (Client client = Client.of(inNamespace(as("weak", server), "forbidden"))) {
            client.read("c/a");
            BackendException failure = client.writeFailure(NOTHING);

            assertTold(failure, Kind.MISCONFIGURED, "not enough privileges", "INSERT");
            assertThat(failure.effect()).isEqualTo(Effect.NONE);
        }
    }

    private static String as(String user, SqlServer server) {
        return server.url().replace("user=tenure", "user=" + user);
    }

    @Test
    void a_server_that_was_set_to_read_only_answers_no_read_and_takes_no_write() {
        String url = inNamespace(SharedServers.postgres().url(), "readonly");
        try (Client before = Client.of(url)) {
            before.write(NOTHING, "stands");
        }

        try (Client client = Client.of(url + "&options=-c%20default_transaction_read_only=on")) {
            assertTold(client.readFailure(), Kind.UNREACHABLE, "is read-only");
            assertThat(client.writeFailure(NOTHING).effect()).isEqualTo(Effect.NONE);
        }
    }

    @Test
    void a_standby_is_told_to_be_one_and_serves_once_it_is_promoted() {
        try (Postgres primary = Postgres.running();
                Postgres standby = primary.standby();
                Client onPrimary = Client.of(primary.url());
                Client onStandby = Client.of(standby.url())) {
            onPrimary.write(NOTHING, "stands");
            primary.awaitReplicated();

            assertTold(onStandby.readFailure(), Kind.UNREACHABLE, "is read-only", "recovery");
            primary.stop();
            standby.promote();

            assertThat(onStandby.read("c/a").value()).isEqualTo("stands");
        }
    }

    @Test
    void a_read_only_mariadb_answers_no_read_because_it_may_be_a_replica() {
        try (MariaDb server = MariaDb.running();
                Client client = Client.of(server.url())) {
            client.write(NOTHING, "stands");

            server.execute("SET GLOBAL read_only = 1");

            assertTold(client.readFailure(), Kind.UNREACHABLE, "is read-only");
        }
    }

    @Test
    void a_server_that_hangs_is_given_up_in_time_and_used_again_when_it_goes_on() {
        try (Postgres server = Postgres.running();
                Client client = Client.of(server.url() + "&tenure.timeout=500ms")) {
            Versioned standing = client.write(NOTHING, "stands");
            server.freeze();

            BackendException read = client.readFailure();
            BackendException write = client.writeFailure(standing);
            BackendException connecting = client.readFailure();
            server.goOn();

            assertTold(read, Kind.UNREACHABLE, "does not answer within 500 ms");
            assertTold(connecting, Kind.UNREACHABLE, "does not answer within 500 ms");
            assertThat(write.effect())
                    .as("on a connection that could not be made")
                    .isEqualTo(Effect.NONE);
            assertThat(client.read("c/a").value()).isEqualTo("stands");
        }
    }

    @Test
    void a_write_that_was_sent_to_a_server_that_hangs_has_an_unknown_outcome() {
        try (MariaDb server = MariaDb.running();
                Client client = Client.of(server.url() + "&tenure.timeout=500ms")) {
            Versioned standing = client.write(NOTHING, "stands");
            server.freeze();

            BackendException write = client.writeFailure(standing);
            server.goOn();

            assertTold(write, Kind.UNREACHABLE, "does not answer within 500 ms");
            assertThat(write.effect()).isEqualTo(Effect.UNKNOWN);
        }
    }

    @Test
    void a_crash_fails_the_calls_until_the_server_is_back_and_loses_no_record() {
        try (Postgres server = Postgres.running("fsync=on");
                Client client = Client.of(server.url())) {
            client.write(NOTHING, "stands");
            useAllConnections(client);
            server.kill();

            BackendException down = client.readFailure();
            server.start();

            assertTold(down, Kind.UNREACHABLE, "cannot be reached");
            assertThat(client.read("c/a").value()).isEqualTo("stands");
        }
    }

    /** What is idle when the server crashes must not be trusted when it is back. */
    private static void useAllConnections(Client client) {
        List<CompletionStage<?>> calls = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            calls.add(client.store().list("c/"));
            calls.add(client.store().read("c/a"));
        }
        calls.forEach(Client::reply);
    }

    @Test
    void a_table_of_a_newer_version_is_left_alone() {
        Postgres server = SharedServers.postgres();
        String url = inNamespace(server.url(), "newer");
        try (Client older = Client.of(url)) {
            older.write(NOTHING, "stands");
        }
        server.execute("UPDATE t_newer_records SET content = '2' WHERE id = 'layout'");

        try (Client client = Client.of(url)) {
            assertTold(client.readFailure(), Kind.CORRUPT, "has layout '2'");
        }
    }

    @Test
    void a_table_that_was_dropped_under_a_client_is_made_again() {
        Postgres server = SharedServers.postgres();
        try (Client client = Client.of(inNamespace(server.url(), "dropped"))) {
            client.write(NOTHING, "stands");
            server.execute("DROP TABLE t_dropped_records");

            assertThat(client.read("c/a").isPresent()).isFalse();
        }
    }

    private static void assertTold(BackendException failure, Kind kind, String... words) {
        assertThat(failure).hasMessageContainingAll(words);
        assertThat(failure.getMessage()).as("on one line").doesNotContain("\n");
        assertThat(failure.kind()).isEqualTo(kind);
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            assertThat(List.of(String.valueOf(cause.getMessage())))
                    .noneMatch(text -> text.contains(SqlServer.PASSWORD));
        }
    }
}
