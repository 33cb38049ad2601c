// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.net.httpserver.HttpServer;
import dev.tenure.ElectionName;
import dev.tenure.consul.servers.ConsulCluster;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.support.StoreUrl.Server;
import dev.tenure.support.Certificates;
import dev.tenure.support.Ports;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each way in which a Consul cannot be used has a sentence of its own, which shows no secret. */
@Tag("server")
class RefusalsTest {
    private static final ElectionName ELECTION = ElectionName.of("sweeper");
    private static final Duration TTL = Duration.ofSeconds(20);

    private static BackendException openingFails(String url) {
        return openingFails(url, TTL);
    }

    private static BackendException openingFails(String url, Duration ttl) {
        Throwable failure = catchThrowable(() -> {
            try (Client client = new Client(url)) {
                client.open(ttl);
            }
        });
        assertThat(failure).isInstanceOf(BackendException.class);
        return (BackendException) failure;
    }

    @Test
    void without_an_acl_token_or_with_too_few_rights_it_says_which_policy_is_needed(@TempDir Path folder)
            throws Exception {
        String acl = """
                "acl": {"enabled": true, "default_policy": "deny", "tokens": {"master": "root-secret"}}""";
        try (ConsulCluster cluster = ConsulCluster.start(1, acl)) {
            Path root = Files.writeString(folder.resolve("root"), "root-secret\n");
            Path wrong = Files.writeString(folder.resolve("wrong"), "wrong-secret\n");
            String url = cluster.url("apps");

            BackendException nobody = openingFails(url);
            BackendException unknown = openingFails(url + "?token.file=" + wrong);

            assertThat(nobody.kind()).isEqualTo(Kind.MISCONFIGURED);
            assertThat(nobody).hasMessageContaining("?token.file=FILE").hasMessageContaining("key_prefix \"apps/\"");
            assertThat(unknown).hasMessageContaining("denies access").hasMessageNotContaining("wrong-secret");
            try (Client client = new Client(url + "?token.file=" + root)) {
                Client.Seat seat = client.open(TTL);
                assertThat(seat.holds(ELECTION, seat.take(ELECTION))).isTrue();
            }
        }
    }

    @Test
    void the_documented_policy_is_enough_less_is_refused_and_a_token_is_replaced_while_the_process_runs(
            @TempDir Path folder) throws Exception {
        String acl = """
                "acl": {"enabled": true, "default_policy": "deny", "tokens": {"master": "root-secret"}}""";
        String documented = Files.readAllLines(Path.of("../../docs/backends/consul.md")).stream()
                .filter(line -> line.matches("(key|session)_prefix \".*"))
                .collect(Collectors.joining("\n"));
        assertThat(documented).contains("key_prefix \"billing/\"");
        try (ConsulCluster cluster = ConsulCluster.start(1, acl)) {
            String enough = token(cluster, "enough", documented);
            String less = token(cluster, "less", documented.replaceFirst("write", "read"));
            Path file = Files.writeString(folder.resolve("token"), less);
            try (Client client = new Client(cluster.url("billing") + "?token.file=" + file)) {
                Throwable refused = catchThrowable(() -> client.open(TTL).take(ELECTION));
                assertThat(refused)
                        .isInstanceOf(BackendException.class)
                        .hasMessageContaining("denies access")
                        .hasMessageNotContaining(less);

                Files.writeString(file, enough);

                Client.Seat seat = client.open(TTL);
                ClaimReply.Granted grant = seat.take(ELECTION);
                assertThat(seat.holds(ELECTION, grant)).isTrue();
                assertThat(seat.renew()).isEqualTo(new RenewReply.Renewed(TTL));
                assertThat(seat.release(ELECTION, grant.nonce())).isEqualTo(ReleaseReply.RELEASED);
                seat.close();
            }
        }
    }

    /** A new one with these rights. */
    private static String token(ConsulCluster cluster, String name, String rules) {
        String secret = UUID.randomUUID().toString();
        String policy = JsonText.object("Name", name, "Rules", rules);
        String token = JsonText.object("SecretID", secret, "Policies", List.of(JsonText.object("Name", name)));
        assertThat(cluster.send("PUT", "/v1/acl/policy?token=root-secret", policy)
                        .statusCode())
                .isEqualTo(200);
        assertThat(cluster.send("PUT", "/v1/acl/token?token=root-secret", token).statusCode())
                .isEqualTo(200);
        return secret;
    }

    @Test
    void tls_is_spoken_with_those_who_are_trusted_and_with_nobody_else(@TempDir Path folder) throws Exception {
        Certificates made = Certificates.in(folder);
        int tlsPort = Ports.free();
        String tls = """
                "ca_file": "%s", "cert_file": "%s", "key_file": "%s", "verify_incoming_https": true,
                "addresses": {"https": "127.0.0.1"}""".formatted(made.file("ca.pem"), made.file("server.pem"), made.file("server.key"));
        try (ConsulCluster cluster = ConsulCluster.startWithTls(tlsPort, tls)) {
            String url = "consul://127.0.0.1:" + tlsPort + "/apps";
            String client = "&tls.cert=" + made.file("client.pem") + "&tls.key=" + made.file("client.key");
            try (Client trusted = new Client(url + "?tls.ca=" + made.file("ca.pem") + client)) {
                Client.Seat seat = trusted.open(TTL);
                assertThat(seat.holds(ELECTION, seat.take(ELECTION))).isTrue();
                assertThat(seat.renew()).isEqualTo(new RenewReply.Renewed(TTL));
            }

            BackendException stranger = openingFails(url + "?tls.ca=" + made.file("stranger.pem") + client);
            BackendException plain = openingFails(url);

            assertThat(stranger.kind()).isEqualTo(Kind.MISCONFIGURED);
            assertThat(stranger).hasMessageContaining("is not trusted");
            assertThat(plain).hasMessageContaining("check host, port and tls in the store URL");
            assertThat(cluster.nodes()).hasSize(1);
        }
    }

    @Test
    void only_a_handshake_that_fails_says_that_nothing_was_sent() {
        Server server = new Server("consul", 8501);

        assertThat(ConsulClient.failed(server, new SSLHandshakeException("unknown_ca"))
                        .effect())
                .isEqualTo(Effect.NONE);
        assertThat(ConsulClient.failed(server, new SSLException("Tag mismatch")).effect())
                .isEqualTo(Effect.UNKNOWN);
    }

    @Test
    void a_server_that_is_not_there_did_nothing() {
        try (Socket port = Ports.refusing()) {
            BackendException failure = openingFails("consul://127.0.0.1:" + port.getLocalPort());

            assertThat(failure.effect()).isEqualTo(Effect.NONE);
            assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
            assertThat(failure).hasMessageContaining("no answer from Consul at 127.0.0.1:" + port.getLocalPort());
        } catch (java.io.IOException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    @Test
    void a_server_that_forbids_transactions_is_told_from_one_that_denies_a_token() {
        try (ConsulCluster cluster = ConsulCluster.start(1, """
                "http_config": {"block_endpoints": ["/v1/txn"]}""")) {
            BackendException failure = openingFails(cluster.url("apps"));

            assertThat(failure.kind()).isEqualTo(Kind.MISCONFIGURED);
            assertThat(failure)
                    .hasMessageContaining("take /v1/txn")
                    .hasMessageContaining("out of http_config.block_endpoints");
        }
    }

    @Test
    void a_datacenter_is_asked_by_its_name() {
        String url = SharedServers.cluster().url("far");
        try (Client client = new Client(url + "?datacenter=dc1")) {
            Client.Seat seat = client.open(TTL);
            assertThat(seat.holds(ELECTION, seat.take(ELECTION))).isTrue();
        }

        BackendException nowhere = openingFails(url + "?datacenter=nowhere");

        assertThat(nowhere.kind()).isEqualTo(Kind.MISCONFIGURED);
        assertThat(nowhere).hasMessageContaining("correct ?datacenter=");
    }

    @Test
    void a_namespace_is_sent_with_every_request_and_only_consul_enterprise_has_one() throws Exception {
        ConsulCluster cluster = SharedServers.cluster();
        BackendException failure = openingFails(cluster.url("apps") + "?namespace=team");
        assertThat(failure.kind()).isEqualTo(Kind.MISCONFIGURED);
        assertThat(failure).hasMessageContaining("has no namespaces");

        try (HttpProxy proxy = new HttpProxy(cluster.nodes().get(0).httpPort())) {
            openingFails("consul://" + proxy.address() + "/apps?namespace=team");
            assertThat(proxy.requests()).isNotEmpty().allMatch(request -> request.contains("&ns=team"));
        }
    }

    private static BackendException answering(Map<String, String> answers) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String answer = answers.getOrDefault(exchange.getRequestURI().getPath(), "");
            byte[] body = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(body.length == 0 ? 404 : 200, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            return openingFails("consul://127.0.0.1:" + server.getAddress().getPort());
        } finally {
            server.stop(0);
        }
    }

    @Test
    void a_server_of_something_else_is_not_taken_for_consul() throws Exception {
        BackendException page = answering(Map.of("/v1/status/peers", "<html>It works!</html>"));
        BackendException nothing = answering(Map.of());

        assertThat(page.kind()).isEqualTo(Kind.MISCONFIGURED);
        assertThat(page).hasMessageContaining("does not answer as Consul 1.7 or newer does");
        assertThat(nothing).hasMessageContaining("does not answer as Consul 1.7 or newer does (status 404");
    }

    @Test
    void a_version_that_is_too_old_is_refused() throws Exception {
        BackendException old = answering(Map.of(
                "/v1/status/peers", "[\"127.0.0.1:8300\"]", "/v1/agent/self", "{\"Config\":{\"Version\":\"1.6.2\"}}"));

        assertThat(old.kind()).isEqualTo(Kind.MISCONFIGURED);
        assertThat(old).hasMessageContaining("Consul 1.6.2").hasMessageContaining("upgrade to 1.7 or newer");
    }

    @Test
    void a_ttl_that_consul_does_not_grant_is_refused_with_those_that_it_does() {
        BackendException failure = openingFails(SharedServers.cluster().url("short"), Duration.ofMillis(500));

        assertThat(failure.kind()).isEqualTo(Kind.MISCONFIGURED);
        assertThat(failure).hasMessageContaining("a TTL of 500ms").hasMessageContaining("session_ttl_min");
    }

    @Test
    void urls_that_cannot_work_are_refused_before_anything_is_asked(@TempDir Path folder) throws Exception {
        assertThat(openingFails("consul://joe:secret@h:8500/x"))
                .hasMessageContaining("?token.file=FILE")
                .hasMessageNotContaining("secret");
        assertThat(openingFails("consul://h:8500/x?token.file=/does/not/exist"))
                .hasMessageContaining("the file of token.file cannot be read");
        Path two = Files.writeString(folder.resolve("two"), "secret-one\nsecret-two\n");
        assertThat(openingFails("consul://h:8500/x?token.file=" + two))
                .hasMessageContaining("must hold one token and nothing else")
                .hasMessageNotContaining("secret");
        assertThat(openingFails("consul://h:8500/x?token=secret%0Atoo"))
                .hasMessageContaining("must hold one token and nothing else")
                .hasMessageNotContaining("secret");
        assertThat(openingFails("consul://h:99999/x")).hasMessageContaining("outside 1..65535");
        assertThat(openingFails("consul:h:8500")).hasMessageContaining("names no server");
    }
}
