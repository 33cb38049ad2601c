// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ElectionName;
import dev.tenure.zookeeper.ensemble.Ensemble;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS with certificates on both sides, against servers that demand them. */
@Tag("server")
class TlsTest {
    private static final Duration TTL = Duration.ofSeconds(10);
    private static final String PASSWORD = "of-the-stores";

    @TempDir
    private static Path folder;

    private static Ensemble ensemble;

    @BeforeAll
    static void startServersThatSpeakTls() throws Exception {
        Files.writeString(folder.resolve("password"), PASSWORD + "\n");
        for (String name : List.of("server", "client", "stranger")) {
            keytool(
                    name,
                    "-genkeypair",
                    "-keyalg",
                    "EC",
                    "-dname",
                    "CN=" + name,
                    "-ext",
                    "san=ip:127.0.0.1,dns:localhost");
            keytool(
                    name,
                    "-exportcert",
                    "-rfc",
                    "-file",
                    folder.resolve(name + ".pem").toString());
        }
        ensemble = Ensemble.start(
                List.of(
                        "serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
                        "client.portUnification=true",
                        "authProvider.x509=org.apache.zookeeper.server.auth.X509AuthenticationProvider",
                        "ssl.clientAuth=need",
                        "ssl.keyStore.location=" + folder.resolve("server.p12"),
                        "ssl.keyStore.password=" + PASSWORD,
                        "ssl.trustStore.location=" + folder.resolve("client.pem"),
                        "ssl.hostnameVerification=false"),
                List.of());
    }

    private static void keytool(String alias, String verb, String... rest) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), verb));
        line.addAll(List.of(
                "-alias", alias, "-keystore", folder.resolve(alias + ".p12").toString()));
        line.addAll(List.of("-storepass", PASSWORD, "-storetype", "PKCS12"));
        line.addAll(List.of(rest));
        assertThat(new ProcessBuilder(line).inheritIO().start().waitFor()).isZero();
    }

    @AfterAll
    static void stopServers() {
        ensemble.close();
    }

    private static String url(String authority, String certificate) {
        return ensemble.url("/tls") + "&tls=on&tls.ca=" + folder.resolve(authority + ".pem") + "&tls.cert="
                + folder.resolve(certificate + ".p12") + "&tls.password.file=" + folder.resolve("password");
    }

    @Test
    void a_client_and_servers_that_know_each_other_hold_elections() throws Exception {
        try (Actor actor = Actor.open(url("server", "client"), TTL)) {
            assertThat(actor.take(ElectionName.of("e")).token().value()).isPositive();
        }
    }

    /** As Kubernetes and most authorities hand them out. */
    @Test
    void a_certificate_and_its_key_in_two_pem_files_do_as_well_and_leave_no_copy_behind() throws Exception {
        Path key = folder.resolve("client.key");
        KeyStore store = KeyStore.getInstance(folder.resolve("client.p12").toFile(), PASSWORD.toCharArray());
        byte[] der = store.getKey("client", PASSWORD.toCharArray()).getEncoded();
        Files.writeString(
                key,
                "-----BEGIN PRIVATE KEY-----\n" + Base64.getMimeEncoder().encodeToString(der)
                        + "\n-----END PRIVATE KEY-----\n");
        Set<Path> before = temporaryKeyStores();

        try (Actor actor = Actor.open(
                ensemble.url("/pem") + "&tls.ca=" + folder.resolve("server.pem") + "&tls.cert="
                        + folder.resolve("client.pem") + "&tls.key=" + key,
                TTL)) {
            assertThat(actor.take(ElectionName.of("e")).token().value()).isPositive();

            Await.until("the copy was deleted", () -> before.containsAll(temporaryKeyStores()));
        }
    }

    /** For who has them already: nothing of TLS in the URL. */
    @Test
    void zookeepers_own_settings_of_tls_do_as_well() throws Exception {
        Path settings = Files.writeString(
                folder.resolve("client.properties"),
                "zookeeper.client.secure=true\n"
                        + "zookeeper.ssl.protocol=TLSv1.3\n"
                        + "zookeeper.ssl.trustStore.location=" + folder.resolve("server.pem") + "\n"
                        + "zookeeper.ssl.keyStore.location=" + folder.resolve("client.p12") + "\n"
                        + "zookeeper.ssl.keyStore.passwordPath=" + folder.resolve("password") + "\n");

        try (Actor actor = Actor.open(ensemble.url("/own-settings") + "&client=" + settings, TTL)) {
            assertThat(actor.take(ElectionName.of("e")).token().value()).isPositive();
        }
    }

    private static Set<Path> temporaryKeyStores() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName().toString().startsWith("tenure-zookeeper-"))
                    .collect(Collectors.toSet());
        }
    }

    @Test
    void servers_that_nobody_vouches_for_are_not_trusted() {
        assertRefused(url("stranger", "client"));
    }

    @Test
    void a_client_that_the_servers_do_not_know_is_not_let_in() {
        assertRefused(url("server", "stranger"));
    }

    private static void assertRefused(String url) {
        try (Actor actor = new Actor(url)) {
            assertThatThrownBy(() -> actor.open(TTL))
                    .cause()
                    .hasMessageContaining("certificate")
                    .message()
                    .doesNotContain(PASSWORD);
        }
    }
}
