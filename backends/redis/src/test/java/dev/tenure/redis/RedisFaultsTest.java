// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.Leadership;
import dev.tenure.redis.servers.RedisServer;
import dev.tenure.redis.servers.RedisServer.Product;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.support.Certificates;
import dev.tenure.support.Ports;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.assertj.core.api.AbstractThrowableAssert;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes wrong with a real server, and what is said of it. */
@Tag("server")
class RedisFaultsTest {
    @TempDir
    private Path folder;

    @Test
    void a_leader_whose_records_are_flushed_loses_its_term_and_leads_again_with_a_higher_token() throws Exception {
        try (RedisServer server = RedisServer.running();
                Stander one = Stander.at(server.url())) {
            Leadership first = one.awaitLeadership();

            server.ask(client -> client.flushAll());

            one.awaitLoss();
            Leadership second = one.awaitLeadership();
            assertThat(first.isValid()).isFalse();
            assertThat(second.token()).isGreaterThan(first.token());
        }
    }

    @Test
    void a_leader_whose_records_are_evicted_loses_its_term() throws Exception {
        try (RedisServer server = RedisServer.running();
                Stander one = Stander.at(server.url())) {
            one.awaitLeadership();

            server.ask(client -> client.configSet("maxmemory-policy", "allkeys-random"));
            server.ask(client -> client.configSet("maxmemory", "1"));
            server.ask(client -> client.dbSize()); // any command removes what does not fit

            one.awaitLoss();
            server.ask(client -> client.configSet("maxmemory-policy", "noeviction"));
            server.ask(client -> client.configSet("maxmemory", "0"));
            one.awaitLeadership();
        }
    }

    @Test
    void a_leader_stops_in_time_while_the_server_is_paused() throws Exception {
        try (RedisServer server = RedisServer.running();
                Stander one = Stander.at(server.url() + "?timeout=500ms")) {
            Leadership first = one.awaitLeadership();

            server.ask(client -> client.clientPause(4_000));
            long sinceNanos = System.nanoTime();

            Awaitility.await("the end of its authority").until(() -> !first.isValid());
            assertThat(Duration.ofNanos(System.nanoTime() - sinceNanos)).isLessThan(Duration.ofSeconds(3));
            assertThat(one.awaitLeadership().token()).isGreaterThan(first.token());
        }
    }

    @Test
    void a_server_that_is_busy_with_a_script_is_said_to_be_until_the_script_is_killed() throws Exception {
        try (RedisServer server = RedisServer.running("--busy-reply-threshold", "50")) {
            Thread endless =
                    new Thread(() -> assertThatThrownBy(() -> server.ask(client -> client.eval("while true do end")))
                            .isNotNull());
            endless.start();
            Awaitility.await("a busy server").until(() -> {
                try {
                    StoreCall.read(server.url() + "?timeout=300ms");
                    return false;
                } catch (BackendException failure) {
                    return String.valueOf(failure.getMessage()).contains("SCRIPT KILL");
                }
            });

            server.ask(client -> client.scriptKill());
            endless.join();

            assertThat(StoreCall.read(server.url()).isPresent()).isFalse();
        }
    }

    @Test
    void a_server_that_wants_a_password_gets_one_with_any_character_in_it() throws Exception {
        Path file = Files.writeString(folder.resolve("password"), "p@ss:w/rd%\n");
        try (RedisServer server = RedisServer.running("--requirepass", "p@ss:w/rd%")) {
            assertThat(StoreCall.read("redis://:p%40ss%3Aw%2Frd%25@" + server.address())
                            .isPresent())
                    .isFalse();
            assertThat(StoreCall.read("redis://default:p%40ss%3Aw%2Frd%25@" + server.address())
                            .isPresent())
                    .isFalse();
            assertThat(StoreCall.read(server.url() + "?password.file=" + file).isPresent())
                    .isFalse();
            assertRefused(server.url()).hasMessageContaining("wants a password");
            assertRefused("redis://:secret-one@" + server.address())
                    .hasMessageContaining("does not accept this user")
                    .hasMessageNotContaining("secret-one");
        }
    }

    @Test
    void the_documented_rights_are_enough_and_less_is_refused() throws Exception {
        String documented = Files.readAllLines(Path.of("../../docs/backends/redis.md")).stream()
                .filter(line -> line.startsWith("ACL SETUSER tenure "))
                .findFirst()
                .orElseThrow();
        String[] rules = documented.substring("ACL SETUSER tenure ".length()).split(" ");
        try (RedisServer server = RedisServer.running()) {
            server.ask(client -> client.aclSetUser("tenure", rules));
            server.ask(client -> client.aclSetUser("less", "on", ">secret", "~{tenure}:*", "+evalsha", "+eval"));
            try (Stander one = Stander.at("redis://tenure:secret@" + server.address());
                    Stander two = Stander.at("redis://tenure:secret@" + server.address())) {
                Awaitility.await("one leads").until(() -> one.hasLedAgain() || two.hasLedAgain());
            }
            assertRefused("redis://less:secret@" + server.address()).hasMessageContaining("lacks a right");
        }
    }

    @Test
    void a_server_with_tls_is_trusted_by_its_name_and_authority_only() throws Exception {
        Certificates certificates = Certificates.in(folder);
        Path authority = certificates.file("ca.pem");
        try (RedisServer server = tls(certificates, "server");
                RedisServer elsewhere = tls(certificates, "elsewhere")) {
            String place = "rediss://127.0.0.1:" + server.tlsPort();
            assertThat(StoreCall.read(place + "?tls.ca=" + authority).isPresent())
                    .isFalse();
            assertRefused(place + "?tls.ca=" + certificates.file("stranger.pem"))
                    .hasMessageContaining("is not trusted");
            assertRefused("rediss://127.0.0.1:" + elsewhere.tlsPort() + "?tls.ca=" + authority)
                    .hasMessageContaining("its certificate must name this host");
            assertThatThrownBy(() -> StoreCall.read("rediss://" + server.address() + "?timeout=1s"))
                    .hasMessageContaining("if it does not speak TLS, write redis:// instead of rediss://");
            assertThatThrownBy(() -> StoreCall.read("redis://127.0.0.1:" + server.tlsPort()))
                    .hasMessageContaining("it may want TLS (write rediss://)");
        }
    }

    private static RedisServer tls(Certificates certificates, String name) {
        return RedisServer.withTls(
                certificates.file(name + ".pem"), certificates.file(name + ".key"), certificates.file("ca.pem"));
    }

    @Test
    void a_place_that_cannot_work_is_refused_with_a_sentence() throws Exception {
        String server = SharedServers.of(Product.REDIS).address();
        assertRefused("redis://" + server + "/77").hasMessageContaining("has no such database");
        SharedServers.of(Product.REDIS).ask(client -> client.set("{taken}:c", "something else"));
        assertThatThrownBy(() -> StoreCall.read("redis://" + server + "?prefix=taken"))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(Kind.CORRUPT))
                .hasMessageContaining("choose another ?prefix=");
        try (RedisServer evicting = RedisServer.running("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")) {
            assertRefused(evicting.url()).hasMessageContaining("noeviction");
        }
        try (Socket nobody = Ports.refusing()) {
            assertThatThrownBy(() -> StoreCall.read("redis://127.0.0.1:" + nobody.getLocalPort()))
                    .isInstanceOfSatisfying(
                            BackendException.class,
                            failure -> assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE))
                    .hasMessageContaining("does not answer");
            assertThatThrownBy(() -> StoreCall.read("redis://127.0.0.1:" + nobody.getLocalPort() + "?sentinel=main"))
                    .hasMessageContaining("does not answer");
        }
    }

    @Test
    void a_server_that_is_too_old_is_refused() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread old = new Thread(() -> sayVersion(socket, "5.0.14"));
            old.start();
            assertRefused("redis://127.0.0.1:" + socket.getLocalPort()).hasMessageContaining("Tenure needs Redis 6.2");
            old.join();
        }
    }

    private static void sayVersion(ServerSocket socket, String version) {
        try (Socket client = socket.accept();
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8))) {
            String facts = "redis_version:" + version + "\r\n";
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals("HELLO")) {
                    client.getOutputStream().write("-ERR unknown command `HELLO`\r\n".getBytes(StandardCharsets.UTF_8));
                } else if (line.equals("INFO")) {
                    String reply = "$" + facts.length() + "\r\n" + facts + "\r\n";
                    client.getOutputStream().write(reply.getBytes(StandardCharsets.UTF_8));
                }
            }
        } catch (IOException gone) {
            return;
        }
    }

    private static AbstractThrowableAssert<?, ?> assertRefused(String url) {
        return assertThatThrownBy(() -> StoreCall.read(url))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.kind())
                                .as(failure.getMessage())
                                .isEqualTo(Kind.MISCONFIGURED));
    }
}
