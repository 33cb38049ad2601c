// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.sql.servers.MariaDb;
import dev.tenure.sql.servers.Postgres;
import dev.tenure.sql.servers.SqlServer;
import dev.tenure.support.Certificates;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS is the driver's, set as its own documentation says; what goes wrong is told apart from a wrong password. */
@Tag("server")
class TlsTest {
    private static final String ONLY_WITH_TLS = "careful";
    private static final String ONLY_WITH_CERTIFICATE = "certified";

    @TempDir
    static Path folder;

    private static Certificates certificates;
    private static Postgres postgres;
    private static MariaDb mariaDb;

    @BeforeAll
    static void start() {
        certificates = Certificates.in(folder, ONLY_WITH_CERTIFICATE);
        postgres = Postgres.withTls(
                certificates,
                "server",
                "hostssl all " + ONLY_WITH_TLS + " 127.0.0.1/32 scram-sha-256",
                "hostssl all " + ONLY_WITH_CERTIFICATE + " 127.0.0.1/32 cert");
        postgres.execute(
                "CREATE ROLE " + ONLY_WITH_TLS + " SUPERUSER LOGIN PASSWORD '" + SqlServer.PASSWORD + "'",
                "CREATE ROLE " + ONLY_WITH_CERTIFICATE + " SUPERUSER LOGIN");
        mariaDb = MariaDb.running(
                "--ssl-ca=" + certificates.file("ca.pem"),
                "--ssl-cert=" + certificates.file("server.pem"),
                "--ssl-key=" + certificates.file("server.key"));
        mariaDb.execute(
                "CREATE USER " + ONLY_WITH_TLS + "@127.0.0.1 IDENTIFIED BY '" + SqlServer.PASSWORD + "' REQUIRE SSL",
                "GRANT ALL ON tenure.* TO " + ONLY_WITH_TLS + "@127.0.0.1");
    }

    @AfterAll
    static void stop() {
        postgres.close();
        mariaDb.close();
    }

    private static String as(SqlServer server, String user, String settings) {
        return server.url().replace("user=tenure", "user=" + user) + settings;
    }

    private static void serves(String url) {
        try (Client client = Client.of(url)) {
            assertThat(client.read("c/a").isPresent()).isFalse();
        }
    }

    private static void tells(String url, String... words) {
        try (Client client = Client.of(url)) {
            BackendException failure = client.readFailure();

            assertThat(failure).hasMessageContainingAll(words);
            assertThat(failure.kind()).isEqualTo(Kind.MISCONFIGURED);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"require", "verify-ca", "verify-full"})
    void postgres_is_reached_in_every_mode_with_its_authority_at_hand(String mode) {
        String authority = "&sslrootcert=" + certificates.file("ca.pem");

        serves(as(postgres, ONLY_WITH_TLS, "&sslmode=" + mode + authority));
    }

    @Test
    void a_client_of_postgres_can_show_a_certificate_instead_of_a_password() {
        serves(postgres.plainUrl(SqlServer.DATABASE) + "?user=" + ONLY_WITH_CERTIFICATE
                + "&sslmode=verify-full&sslrootcert=" + certificates.file("ca.pem")
                + "&sslcert=" + certificates.file("client.pem") + "&sslkey=" + certificates.file("client.der"));
    }

    @Test
    void a_postgres_that_wants_tls_says_so_to_one_who_comes_without() {
        tells(as(postgres, ONLY_WITH_TLS, "&sslmode=disable"), "does not let this user in", "sslmode");
    }

    @Test
    void a_postgres_that_wants_a_certificate_says_so_to_one_who_has_none() {
        tells(
                as(postgres, ONLY_WITH_CERTIFICATE, "&sslmode=require"),
                "does not let this user in",
                "client certificate");
    }

    @Test
    void a_postgres_whose_authority_is_unknown_is_not_trusted() {
        String stranger = "&sslrootcert=" + certificates.file("stranger.pem");

        tells(as(postgres, ONLY_WITH_TLS, "&sslmode=verify-full" + stranger), "TLS", "not trusted");
    }

    @Test
    void a_postgres_that_calls_itself_otherwise_is_not_trusted() {
        String authority = "&sslrootcert=" + certificates.file("ca.pem");
        try (Postgres elsewhere = Postgres.withTls(certificates, "elsewhere")) {
            tells(elsewhere.url() + "&sslmode=verify-full" + authority, "TLS", "not trusted");
        }
    }

    @Test
    void a_postgres_without_tls_is_not_spoken_to_if_it_is_required() {
        tells(SharedServers.postgres().url() + "&sslmode=require", "TLS");
    }

    @Test
    void mariadb_is_reached_with_its_authority_at_hand() {
        serves(as(mariaDb, ONLY_WITH_TLS, "&sslMode=verify-full&serverSslCert=" + certificates.file("ca.pem")));
    }

    @Test
    void a_mariadb_whose_authority_is_unknown_is_not_trusted() {
        String stranger = "&serverSslCert=" + certificates.file("stranger.pem");

        tells(as(mariaDb, ONLY_WITH_TLS, "&sslMode=verify-full" + stranger), "TLS", "not trusted");
    }

    @Test
    void a_mariadb_that_wants_tls_refuses_one_who_comes_without() {
        tells(as(mariaDb, ONLY_WITH_TLS, "&sslMode=disable"), "refuses the user");
    }
}
