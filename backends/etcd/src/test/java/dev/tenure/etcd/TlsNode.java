// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import dev.tenure.etcd.cluster.EtcdNode;
import dev.tenure.etcd.cluster.EtcdServers;
import dev.tenure.support.Ports;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;

/** One server that speaks TLS only, and wants to see certificates. */
final class TlsNode implements AutoCloseable {
    private final EtcdNode node;

    private TlsNode(EtcdNode node) {
        this.node = node;
    }

    static TlsNode start(Certificates made, String who) throws IOException {
        int client = Ports.free();
        int peer = Ports.free();
        int metrics = Ports.free();
        Path folder = made.file("data-" + who);
        String place = "https://127.0.0.1:" + client;
        EtcdNode node = new EtcdNode(
                EtcdServers.NEWEST.etcd(),
                List.of(
                        "--data-dir=" + folder,
                        "--listen-peer-urls=http://127.0.0.1:" + peer,
                        "--initial-advertise-peer-urls=http://127.0.0.1:" + peer,
                        "--initial-cluster=default=http://127.0.0.1:" + peer,
                        "--listen-client-urls=" + place,
                        "--advertise-client-urls=" + place,
                        "--listen-metrics-urls=http://127.0.0.1:" + metrics,
                        "--cert-file=" + made.file(who + ".pem"),
                        "--key-file=" + made.file(who + ".key"),
                        "--client-cert-auth",
                        "--trusted-ca-file=" + made.file("ca.pem"),
                        "--log-level=error"),
                made.file(who + ".log"),
                client);
        node.start();
        URL health = new URL("http://127.0.0.1:" + metrics + "/health");
        Awaitility.await("a server that leads itself")
                .atMost(Duration.ofSeconds(60))
                .until(() -> isHealthy(health));
        return new TlsNode(node);
    }

    /** A port that accepts is not enough: a server without a leader keeps its clients waiting. */
    private static boolean isHealthy(URL health) {
        try (InputStream answer = health.openStream()) {
            return new String(answer.readAllBytes(), StandardCharsets.UTF_8).contains("\"health\":\"true\"");
        } catch (IOException notYet) {
            return false;
        }
    }

    int port() {
        return node.clientPort();
    }

    @Override
    public void close() {
        node.kill();
    }
}
