// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tenure.ElectionName;
import dev.tenure.etcd.client.KeyRange;
import dev.tenure.etcd.cluster.EtcdServers;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.ClaimReply;
import dev.tenure.support.Ports;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whom to trust and who is trusted; and each way in which a store cannot be reached has a message of its own, in time. */
@Tag("server")
class SecurityTest {
    private static final ElectionName ELECTION = ElectionName.of("sweeper");
    /** Nothing here waits for a session to end or for an answer that does not come, but for one case, which says so. */
    private static final Duration TTL = Duration.ofSeconds(60);

    private static final String PATIENT = "timeout=20s";

    private static BackendException openingFails(String url) {
        long before = System.nanoTime();
        try (Client client = new Client(url)) {
            Throwable failure = catchThrowable(() -> client.open(TTL));
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(60));
            assertThat(failure).isInstanceOf(BackendException.class);
            return (BackendException) failure;
        }
    }

    @Test
    void a_user_with_rights_on_its_folder_can_do_everything_there_and_nothing_elsewhere() {
        try (EtcdCluster cluster = EtcdCluster.start(EtcdServers.OLDEST, 1)) {
            cluster.post("/v3/auth/user/add", "{\"name\":\"root\",\"password\":\"r\"}");
            cluster.post("/v3/auth/user/grant", "{\"user\":\"root\",\"role\":\"root\"}");
            cluster.post("/v3/auth/user/add", "{\"name\":\"joe\",\"password\":\"p:ss\"}");
            cluster.post("/v3/auth/role/add", "{\"name\":\"apps\"}");
            cluster.post(
                    "/v3/auth/role/grant",
                    "{\"name\":\"apps\",\"perm\":{\"permType\":\"READWRITE\","
                            + EtcdCluster.json(KeyRange.under("apps/")) + "}}");
            cluster.post("/v3/auth/user/grant", "{\"user\":\"joe\",\"role\":\"apps\"}");
            cluster.post("/v3/auth/role/add", "{\"name\":\"root\"}");
            cluster.post("/v3/auth/user/grant", "{\"user\":\"root\",\"role\":\"root\"}");
            cluster.post("/v3/auth/enable", "{}");
            String servers = cluster.endpoints();

            try (Client client = new Client("etcd://joe:p%3Ass@" + servers + "/apps?" + PATIENT)) {
                Client.Seat holder = client.open(TTL);
                Client.Seat queued = client.open(TTL);
                ClaimReply.Granted grant = holder.take(ELECTION);
                queued.queue(ELECTION);
                holder.renew();
                assertThat(holder.holds(ELECTION, grant)).isTrue();
                holder.release(ELECTION, grant.nonce());
                org.awaitility.Awaitility.await()
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> !queued.heard.grants().isEmpty());
                queued.close();
            }
            BackendException wrong = openingFails("etcd://joe:wrong@" + servers + "/apps?" + PATIENT);
            BackendException nobody = openingFails("etcd://" + servers + "/apps?" + PATIENT);
            BackendException elsewhere = openingFails("etcd://joe:p%3Ass@" + servers + "/other?" + PATIENT);

            assertThat(wrong).hasMessageContaining("does not accept the user and password");
            assertThat(wrong.kind()).isEqualTo(Kind.MISCONFIGURED);
            assertThat(nobody.kind()).isEqualTo(Kind.MISCONFIGURED);
            assertThat(elsewhere).hasMessageContaining("does not allow this user");
            assertThat(wrong.getMessage()).doesNotContain("wrong@");
        }
    }

    @Test
    void servers_and_clients_show_certificates_that_are_checked(@TempDir Path folder) throws Exception {
        Certificates made = Certificates.in(folder);
        try (TlsNode node = TlsNode.start(made, "server")) {
            String place = "etcd://127.0.0.1:" + node.port() + "/apps?" + PATIENT + "&tls.ca=";
            String me = "&tls.cert=" + made.file("client.pem") + "&tls.key=" + made.file("client.key");

            try (Client client = new Client(place + made.file("ca.pem") + me)) {
                client.open(TTL).take(ELECTION);
            }
            BackendException stranger = openingFails(place + made.file("stranger.pem") + me);
            BackendException anonymous = openingFails(place + made.file("ca.pem"));
            BackendException plain = openingFails("etcd://127.0.0.1:" + node.port() + "/apps?" + PATIENT);

            assertThat(stranger).hasMessageContaining("no TLS connection").hasMessageContaining("tls.ca");
            assertThat(stranger.kind()).isEqualTo(Kind.MISCONFIGURED);
            assertThat(anonymous).hasMessageContaining("no TLS connection").hasMessageContaining("tls.cert");
            assertThat(plain).hasMessageContaining("tls=true");
        }
    }

    @Test
    void a_certificate_is_a_login_by_itself(@TempDir Path folder) throws Exception {
        Certificates made = Certificates.in(folder);
        try (TlsNode node = TlsNode.start(made, "server")) {
            administer(made, node, "user", "add", "root:r");
            administer(made, node, "role", "add", "root");
            administer(made, node, "user", "grant-role", "root", "root");
            administer(made, node, "user", "add", "client:unused");
            administer(made, node, "role", "add", "apps");
            administer(made, node, "role", "grant-permission", "--prefix", "apps", "readwrite", "apps/");
            administer(made, node, "user", "grant-role", "client", "apps");
            administer(made, node, "auth", "enable");
            String me = "?" + PATIENT + "&tls.ca=" + made.file("ca.pem") + "&tls.cert=" + made.file("client.pem")
                    + "&tls.key=" + made.file("client.key");

            try (Client client = new Client("etcd://127.0.0.1:" + node.port() + "/apps" + me)) {
                client.open(TTL).take(ELECTION);
            }
            BackendException elsewhere = openingFails("etcd://127.0.0.1:" + node.port() + "/other" + me);

            assertThat(elsewhere).hasMessageContaining("does not allow this user");
        }
    }

    private static void administer(Certificates made, TlsNode node, String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                EtcdServers.NEWEST.etcdctl().toString(),
                "--endpoints=https://127.0.0.1:" + node.port(),
                "--cacert=" + made.file("ca.pem"),
                "--cert=" + made.file("client.pem"),
                "--key=" + made.file("client.key")));
        command.addAll(List.of(words));
        ProcessBuilder etcdctl = new ProcessBuilder(command).redirectErrorStream(true);
        etcdctl.environment().put("ETCDCTL_API", "3");
        Process process = etcdctl.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }

    @Test
    void a_certificate_for_another_host_is_refused(@TempDir Path folder) throws Exception {
        Certificates made = Certificates.in(folder);
        try (TlsNode node = TlsNode.start(made, "elsewhere")) {
            BackendException failure = openingFails("etcd://127.0.0.1:" + node.port() + "/apps?" + PATIENT + "&tls.ca="
                    + made.file("ca.pem") + "&tls.cert=" + made.file("client.pem") + "&tls.key="
                    + made.file("client.key"));

            assertThat(failure).hasMessageContaining("no TLS connection").hasMessageContaining("host's name");
        }
    }

    @Test
    void a_server_that_is_not_there_is_named() throws Exception {
        try (Socket nobody = Ports.refusing()) {
            String server = "127.0.0.1:" + nobody.getLocalPort();

            BackendException failure = openingFails("etcd://" + server);

            assertThat(failure).hasMessageContaining(server).hasMessageContaining("refused");
            assertThat(failure.effect()).isEqualTo(BackendException.Effect.NONE);
        }
    }

    @Test
    void a_server_without_tls_is_told_apart() {
        try (EtcdCluster cluster = EtcdCluster.start(EtcdServers.NEWEST, 1)) {
            BackendException failure = openingFails("etcd://" + cluster.endpoints() + "/apps?tls=true&" + PATIENT);

            assertThat(failure.getMessage())
                    .contains("perhaps it does not speak TLS")
                    .doesNotContain("Exception");
        }
    }

    @Test
    void a_host_without_an_address_is_told_apart_from_one_that_refuses() {
        assertThat(openingFails("etcd://no-such-host.invalid")).hasMessageContaining("cannot be resolved");
    }

    @Test
    void a_server_that_accepts_and_says_nothing_is_given_up_in_time() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            BackendException failure = openingFails("etcd://127.0.0.1:" + silent.getLocalPort() + "?timeout=1s");

            assertThat(failure).hasMessageContaining("did not answer in time");
            assertThat(failure.effect()).isEqualTo(BackendException.Effect.UNKNOWN);
        }
    }
}
