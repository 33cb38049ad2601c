// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.SessionRequest;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.SqlServer;
import dev.tenure.support.Certificates;
import dev.tenure.support.Ports;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each thing that can be wrong with a server has a message of its own, without the password, in bounded time. */
@Tag("server")
class AdvisoryErrorsTest {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final ElectionName ELECTION = ElectionName.of("billing/sweeper");

    private final Postgres server = AdvisoryServer.shared();

    private static BackendException opening(Side side) {
        return side.failure(() -> side.backend().open(new SessionRequest("a", TTL), side.heard()));
    }

    private static void tells(String url, Kind kind, String... words) {
        try (Side side = new Side(url)) {
            BackendException refused = opening(side);

            assertThat(refused).hasMessageContainingAll(words);
            assertThat(refused.getMessage()).doesNotContain(SqlServer.PASSWORD).doesNotContain("\n");
            assertThat(refused.kind()).isEqualTo(kind);
            assertThat(refused.effect()).isEqualTo(Effect.NONE);
        }
    }

    private static void leads(String url) {
        try (Side side = new Side(url)) {
            BackendSession session = side.open(TTL);

            assertThat(side.take(session, ELECTION).token().value()).isPositive();
            side.ask(session::close);
        }
    }

    /** The same server, tables and password. */
    private String as(String user, String namespace) {
        return AdvisoryServer.url(namespace).replace("//" + SqlServer.USER + ":", "//" + user + ":");
    }

    @Test
    void nobody_listens() throws IOException {
        try (Socket nobody = Ports.refusing()) {
            String url = AdvisoryServer.url(nobody.getLocalPort(), "nobody");

            tells(url, Kind.UNREACHABLE, "cannot be reached", "host and port");
        }
    }

    @Test
    void the_password_is_wrong() {
        tells(
                AdvisoryServer.url("wrong").replace(SqlServer.PASSWORD, SqlServer.PASSWORD + "-not"),
                Kind.MISCONFIGURED,
                "refuses the user or the password",
                "tenure.password.file");
    }

    @Test
    void there_is_no_such_database() {
        tells(AdvisoryServer.url("wrong").replace("/postgres?", "/nowhere?"), Kind.MISCONFIGURED, "no such database");
    }

    @Test
    void the_tables_are_missing_and_not_to_be_made() {
        tells(
                AdvisoryServer.url("missing") + "&tenure.tables=expect",
                Kind.MISCONFIGURED,
                "the tables are missing",
                "CREATE TABLE");
    }

    @Test
    void the_user_may_not_create_the_tables() {
        server.execute("DROP ROLE IF EXISTS weak", "CREATE ROLE weak LOGIN PASSWORD '" + SqlServer.PASSWORD + "'");

        tells(as("weak", "forbidden"), Kind.MISCONFIGURED, "not enough privileges", "CREATE TABLE");
    }

    @Test
    void the_user_may_look_but_not_claim() {
        server.execute("DROP ROLE IF EXISTS reader", "CREATE ROLE reader LOGIN PASSWORD '" + SqlServer.PASSWORD + "'");
        leads(AdvisoryServer.url("reading"));
        server.execute(
                "GRANT SELECT ON t_reading_epochs TO reader",
                "GRANT SELECT, INSERT ON t_reading_epoch_store TO reader");

        try (Side side = new Side(as("reader", "reading"))) {
            BackendSession session = side.open(TTL);

            BackendException refused = side.failure(() -> session.claim(side.request(ELECTION)));

            assertThat(refused).hasMessageContainingAll("not enough privileges", "INSERT and UPDATE");
            assertThat(refused.effect()).isEqualTo(Effect.NONE);
        }
    }

    @Test
    void no_connection_is_left_for_the_user() {
        server.execute(
                "DROP ROLE IF EXISTS many",
                "CREATE ROLE many LOGIN CONNECTION LIMIT 0 PASSWORD '" + SqlServer.PASSWORD + "'");

        tells(as("many", "crowded"), Kind.UNREACHABLE, "has no connection left", "max_connections");
    }

    @Test
    void s18_a_standby_is_told_to_be_one_and_serves_once_it_is_promoted() {
        try (Postgres primary = Postgres.running();
                Postgres standby = primary.standby()) {
            String url = AdvisoryServer.url(standby.port(), "recovering");

            tells(url, Kind.UNREACHABLE, "read-only", "recovery", "primary");
            primary.stop();
            standby.promote();

            leads(url);
        }
    }

    @Test
    void a_server_that_hangs_is_given_up_in_time() {
        try (Postgres hanging = Postgres.running()) {
            String url = AdvisoryServer.url(hanging.port(), "hangs") + "&tenure.timeout=500ms";
            leads(url);
            hanging.freeze();

            tells(url, Kind.UNREACHABLE, "does not answer", "500 ms", "tenure.timeout");

            hanging.goOn();
            leads(url);
        }
    }

    @Test
    void a_password_that_was_changed_in_its_file_is_used_for_the_next_connection(@TempDir Path folder)
            throws IOException {
        Path file = folder.resolve("password");
        Files.writeString(file, "not this one\n");
        String url = AdvisoryServer.url("file").replace(":" + SqlServer.PASSWORD + "@", "@") + "&tenure.password.file="
                + file;

        try (Side side = new Side(url)) {
            assertThat(opening(side)).hasMessageContaining("refuses the user or the password");
            Files.writeString(file, SqlServer.PASSWORD + "\n");

            side.take(side.open(TTL), ELECTION);
        }
    }

    @Test
    void with_tls_a_server_is_led_on_if_it_is_trusted_and_otherwise_told_apart(@TempDir Path folder) {
        Certificates certificates = Certificates.in(folder, SqlServer.USER);
        String rule = "hostssl all careful 127.0.0.1/32 scram-sha-256";
        try (Postgres secured = Postgres.withTls(certificates, "server", rule)) {
            secured.execute("CREATE ROLE careful SUPERUSER LOGIN PASSWORD '" + SqlServer.PASSWORD + "'");
            String url = AdvisoryServer.url(secured.port(), "tls").replace("//" + SqlServer.USER, "//careful");

            leads(url + "&sslmode=verify-full&sslrootcert=" + certificates.file("ca.pem"));

            tells(
                    url + "&sslmode=verify-full&sslrootcert=" + certificates.file("stranger.pem"),
                    Kind.MISCONFIGURED,
                    "do not agree on TLS",
                    "sslrootcert");
            tells(url + "&sslmode=disable", Kind.MISCONFIGURED, "does not let this user in", "sslmode");
        }
        tells(AdvisoryServer.url("plain") + "&sslmode=require", Kind.MISCONFIGURED, "do not agree on TLS");
    }
}
