// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul.servers;

import dev.tenure.support.Folders;
import dev.tenure.support.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;

/** Real servers of Consul on free loopback ports in a temporary folder. They grant TTLs from one second on. */
public final class ConsulCluster implements AutoCloseable {
    private static final Duration READY_WITHIN = Duration.ofSeconds(60);

    private final Path folder = Folders.temporary("consul");
    private final List<ConsulNode> nodes = new ArrayList<>();
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(1))
            .build();

    private ConsulCluster() {}

    /** @param more of the configuration: fields of a JSON object, or nothing */
    public static ConsulCluster start(int size, String more) {
        return start(size, -1, more);
    }

    /** One server that also speaks TLS, at this port. */
    public static ConsulCluster startWithTls(int port, String more) {
        return start(1, port, more);
    }

    private static ConsulCluster start(int size, int tlsPort, String more) {
        ConsulCluster cluster = new ConsulCluster();
        cluster.prepare(size, tlsPort, more);
        cluster.nodes.forEach(ConsulNode::start);
        cluster.awaitReady();
        return cluster;
    }

    private void prepare(int size, int tlsPort, String more) {
        List<Integer> ports = Ports.free(3 * size);
        String join = IntStream.range(0, size)
                .mapToObj(i -> "\"127.0.0.1:" + ports.get(3 * i + 2) + "\"")
                .collect(Collectors.joining(","));
        for (int i = 0; i < size; i++) {
            Path own = folder.resolve("n" + i);
            String settings = String.format(
                    Locale.ROOT,
                    """
                    {"server": true, "bootstrap_expect": %d, "node_name": "n%d", "bind_addr": "127.0.0.1",
                     "client_addr": "127.0.0.1", "data_dir": "%s", "session_ttl_min": "1s", "retry_join": [%s],
                     "retry_interval": "1s", "disable_update_check": true, "log_level": "warn", "raft_protocol": 3,
                     "performance": {"raft_multiplier": 1}, "leave_on_terminate": false,
                     "limits": {"http_max_conns_per_client": 1000},
                     "ports": {"https": %d, "http": %d, "server": %d, "serf_lan": %d, "serf_wan": -1, "dns": -1, "grpc": -1}%s}
                    """,
                    size,
                    i,
                    own.resolve("data"),
                    join,
                    tlsPort,
                    ports.get(3 * i),
                    ports.get(3 * i + 1),
                    ports.get(3 * i + 2),
                    more.isEmpty() ? "" : ", " + more);
            try {
                Files.createDirectories(own);
                Files.writeString(own.resolve("agent.json"), settings);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
            nodes.add(new ConsulNode(own, ports.get(3 * i), ports.get(3 * i + 1)));
        }
    }

    /** Until every server that runs knows a leader. */
    public void awaitReady() {
        Awaitility.await("Consul has a leader")
                .atMost(READY_WITHIN)
                .pollInterval(Duration.ofMillis(100))
                .until(() -> nodes.stream().filter(ConsulNode::isRunning).allMatch(this::knowsLeader));
    }

    private boolean knowsLeader(ConsulNode node) {
        try {
            return leaderAddress(node).contains(":")
                    && send(node, "GET", "/v1/kv/?keys&consistent", "").statusCode() < 500;
        } catch (IllegalStateException notYet) {
            return false;
        }
    }

    private String leaderAddress(ConsulNode node) {
        return send(node, "GET", "/v1/status/leader", "").body().replace("\"", "");
    }

    public List<ConsulNode> nodes() {
        return nodes;
    }

    /** The server that the others follow. */
    public ConsulNode leader() {
        ConsulNode any =
                nodes.stream().filter(ConsulNode::isRunning).findFirst().orElseThrow();
        String address = leaderAddress(any);
        return nodes.stream()
                .filter(node -> node.serverAddress().equals(address))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the cluster has no leader"));
    }

    public String endpoints() {
        return nodes.stream().map(ConsulNode::endpoint).collect(Collectors.joining(","));
    }

    public String url(String prefix) {
        return "consul://" + endpoints() + "/" + prefix;
    }

    /** By the first server that runs. */
    public HttpResponse<String> send(String method, String path, String body) {
        ConsulNode any =
                nodes.stream().filter(ConsulNode::isRunning).findFirst().orElseThrow();
        return send(any, method, path, body);
    }

    public HttpResponse<String> send(ConsulNode node, String method, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + node.endpoint() + path))
                .timeout(Duration.ofSeconds(5))
                .method(method, BodyPublishers.ofString(body))
                .build();
        try {
            return http.send(request, BodyHandlers.ofString());
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    /** New servers at the old place, with nothing in them: their indexes begin anew. */
    public void rebuild() {
        nodes.forEach(ConsulNode::kill);
        nodes.forEach(ConsulNode::empty);
        nodes.forEach(ConsulNode::start);
        awaitReady();
    }

    @Override
    public void close() {
        nodes.forEach(ConsulNode::kill);
        Folders.delete(folder);
    }
}
