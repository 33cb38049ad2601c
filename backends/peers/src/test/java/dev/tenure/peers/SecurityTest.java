// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.internal.host.SystemHost;
import dev.tenure.peers.group.PeersSettings;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members that know each other by certificates, or by a secret that is sent over TLS, and others that are none. */
@Tag("slow")
class SecurityTest {
    private static final String SECRET = "0123456789abcdef0123456789abcdef";
    private static final String OTHER_SECRET = "fedcba9876543210fedcba9876543210";

    @TempDir
    private static Path folder;

    private static Certificates certificates = new Certificates(Path.of("."));

    private final LoggedWarnings log = new LoggedWarnings();
    private Trio trio = new Trio("");

    @BeforeAll
    static void create() throws IOException, InterruptedException {
        certificates = new Certificates(folder).authority("ca").authority("stranger");
        for (String name : Trio.NAMES) {
            certificates.signed(name, name, "ca", 2);
        }
        certificates
                .signed("other", "a", "stranger", 2)
                .signed("shared", "shared", "ca", 2)
                .signed("expired", "a", "ca", -1);
        Files.writeString(folder.resolve("secret"), SECRET + "\n");
        Files.writeString(folder.resolve("other-secret"), OTHER_SECRET);
    }

    @AfterEach
    void close() {
        trio.close();
        log.close();
    }

    private static String bySecret(String file) {
        return certificates.options("ca", "shared") + "&secret.file=" + folder.resolve(file);
    }

    private void start(String options) {
        trio = Trio.started(options);
    }

    private void startWithCertificates() {
        start(certificates.options("ca", "{me}"));
    }

    private void assertElects(String member) {
        try (Stander stander = Stander.at(trio.door(member))) {
            assertThat(stander.awaitGrant().token().value()).isPositive();
        }
    }

    /** In the place of {@code a}, which calls the others: what it is told, and what {@code b} says in its log, once. */
    private void assertRefused(String options, String toldToCaller, String logged) {
        trio.stop("a");
        await().atMost(Trio.PATIENCE).until(() -> !reachesA("b") && !reachesA("c"));

        Trio.Outsider outsider = trio.outsider("a", options);
        try {
            await().atMost(Trio.PATIENCE)
                    .untilAsserted(() -> assertThat(outsider.missing()).contains("b@", "c@", toldToCaller));
            long before = trio.door("b").connections().turnedAway();
            await().atMost(Trio.PATIENCE)
                    .until(() -> trio.door("b").connections().turnedAway() > before + 2);
            assertThat(reachesA("b") || reachesA("c")).isFalse();
            assertThat(log.containing("from 127.0.0.1 to port " + trio.port("b") + " was closed: ", logged))
                    .hasSize(1);
            assertThat(log.containing("no connection to member b@127.0.0.1:" + trio.port("b"), toldToCaller))
                    .hasSize(1);
            assertThat(log.containing(SECRET)).isEmpty();
            assertThat(log.containing(OTHER_SECRET)).isEmpty();
            assertThat(outsider.missing()).doesNotContain(SECRET, OTHER_SECRET);
        } finally {
            outsider.close();
        }
        trio.restart("a");
        await().atMost(Trio.PATIENCE).until(() -> reachesA("b") && reachesA("c"));
        assertElects("a");
    }

    private boolean reachesA(String member) {
        return trio.door(member).member().orElseThrow().connections.containsKey(1);
    }

    @Test
    void a_group_elects_over_tls() {
        startWithCertificates();

        assertElects("a");
    }

    @Test
    void a_certificate_of_another_authority_makes_no_member() {
        startWithCertificates();

        assertRefused(certificates.options("ca", "other"), "TLS failed: ", "TLS failed: ");
    }

    @Test
    void a_certificate_that_has_expired_makes_no_member() {
        startWithCertificates();

        assertRefused(certificates.options("ca", "expired"), "TLS failed: ", "NotAfter");
    }

    @Test
    void a_certificate_makes_only_the_member_that_it_names() {
        startWithCertificates();

        assertRefused(
                certificates.options("ca", "b"),
                "the certificate of member 'a' is not its own: it names [b]",
                "the certificate of member 'a' is not its own");
    }

    @Test
    void a_member_without_tls_is_told_what_is_missing() {
        startWithCertificates();

        assertRefused("insecure=true", "name tls.ca, tls.cert and tls.key everywhere", "speak without TLS");
    }

    @Test
    void a_member_that_is_called_and_has_the_wrong_certificate_is_told_why_nobody_reaches_it() {
        startWithCertificates();
        trio.stop("c");

        Trio.Outsider outsider = trio.outsider("c", certificates.options("ca", "other"));

        // A call may also end with a broken pipe, before the alert is read: the next one tells.
        await().atMost(Trio.PATIENCE)
                .untilAsserted(() -> assertThat(outsider.missing())
                        .contains("it has not called yet, unless it was refused: ", "ertificate"));
        outsider.close();
    }

    @Test
    void members_that_share_a_secret_elect_over_tls_with_a_certificate_of_any_name() {
        start(bySecret("secret"));

        assertElects("b");
    }

    @Test
    void an_observer_with_the_secret_needs_no_certificate() {
        start(bySecret("secret"));
        try (Stander stander = Stander.at(trio.door("b"))) {
            stander.awaitGrant();

            Host host = SystemHost.start("observer");
            String url = trio.url().replaceFirst("tls.cert=[^&]*&tls.key=[^&]*&", "");
            PeersBackend observer = PeersBackend.connect(PeersSettings.of(BackendUrl.parse(url), Map.of()), host);

            assertThat(url).doesNotContain("tls.key");
            assertThat(observer.read(Stander.ELECTION)
                            .toCompletableFuture()
                            .join()
                            .leader())
                    .isPresent();
            observer.close();
            host.shutdown();
        }
    }

    @Test
    void another_secret_makes_no_member_and_sees_nothing() {
        start(bySecret("secret"));

        assertRefused(bySecret("other-secret"), "do not know the same secret", "do not know the same secret");
    }

    @Test
    void a_certificate_does_not_replace_the_secret() {
        start(bySecret("secret"));

        assertRefused(
                certificates.options("ca", "a"), "name the same secret.file everywhere", "has a secret and the other");
    }

    @Test
    void a_member_that_is_called_and_does_not_know_the_secret_is_told_why_nobody_reaches_it() {
        start(bySecret("secret"));
        trio.stop("c");

        Trio.Outsider outsider = trio.outsider("c", bySecret("other-secret"));

        await().atMost(Trio.PATIENCE)
                .untilAsserted(() -> assertThat(outsider.missing())
                        .contains("a@", "b@", "it has not called yet, unless it was refused", "same secret"));
        outsider.close();
    }
}
