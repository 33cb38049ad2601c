package dev.tenure.etcd;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;

/** A real cluster on free loopback ports in a temporary folder. */
final class EtcdCluster implements AutoCloseable {
    private static final Duration READY_WITHIN = Duration.ofSeconds(60);

    private final EtcdServers servers;
    private final Path folder;
    private final List<EtcdNode> nodes = new ArrayList<>();
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(1))
            .build();

    private EtcdCluster(EtcdServers servers, Path folder) {
        this.servers = servers;
        this.folder = folder;
    }

    static EtcdCluster start(EtcdServers servers, int size, String... options) {
        try {
            EtcdCluster cluster = new EtcdCluster(servers, Files.createTempDirectory("tenure-etcd-"));
            cluster.prepare(size, List.of(options));
            cluster.nodes.forEach(EtcdNode::start);
            cluster.awaitReady();
            return cluster;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private void prepare(int size, List<String> options) throws IOException {
        List<Integer> ports = freePorts(2 * size);
        List<String> members = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            members.add("n" + i + "=http://127.0.0.1:" + ports.get(2 * i));
        }
        for (int i = 0; i < size; i++) {
            String peer = "http://127.0.0.1:" + ports.get(2 * i);
            String client = "http://127.0.0.1:" + ports.get(2 * i + 1);
            List<String> arguments = new ArrayList<>(List.of(
                    "--name=n" + i,
                    "--data-dir=" + folder.resolve("n" + i),
                    "--listen-peer-urls=" + peer,
                    "--initial-advertise-peer-urls=" + peer,
                    "--listen-client-urls=" + client,
                    "--advertise-client-urls=" + client,
                    "--initial-cluster=" + String.join(",", members),
                    "--initial-cluster-token=" + folder.getFileName(),
                    "--logger=zap",
                    "--log-level=warn"));
            arguments.addAll(options);
            nodes.add(new EtcdNode(servers.etcd(), arguments, folder.resolve("n" + i + ".log"), ports.get(2 * i + 1)));
        }
    }

    private static List<Integer> freePorts(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            return sockets.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
    }

    EtcdServers servers() {
        return servers;
    }

    List<EtcdNode> nodes() {
        return nodes;
    }

    String url(String folder) {
        return "etcd://" + endpoints() + "/" + folder;
    }

    String endpoints() {
        return nodes.stream().map(EtcdNode::endpoint).collect(Collectors.joining(","));
    }

    void awaitReady() {
        Awaitility.await("a cluster that answers")
                .atMost(READY_WITHIN)
                .until(() -> nodes.stream()
                        .filter(EtcdNode::isRunning)
                        .allMatch(node -> answers(node, "/v3/kv/range", "{\"key\":\"AA==\"}")));
    }

    private boolean answers(EtcdNode node, String path, String body) {
        try {
            return post(node, path, body).has("header");
        } catch (IllegalStateException notYet) {
            return false;
        }
    }

    Json post(EtcdNode node, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + node.endpoint() + path))
                .timeout(Duration.ofSeconds(5))
                .POST(BodyPublishers.ofString(body))
                .build();
        try {
            return Json.parse(http.send(request, BodyHandlers.ofString()).body());
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    /** By any server that runs. */
    Json post(String path, String body) {
        EtcdNode node = nodes.stream().filter(EtcdNode::isRunning).findFirst().orElseThrow();
        return post(node, path, body);
    }

    EtcdNode leader() {
        for (EtcdNode node : nodes) {
            Json status = post(node, "/v3/maintenance/status", "{}");
            String self = status.at("header").text("member_id");
            if (self.equals(status.text("leader"))) {
                return node;
            }
        }
        throw new IllegalStateException("the cluster has no leader");
    }

    Path saveTo(Path backup) {
        EtcdNode.run(List.of(
                servers.etcdctl().toString(),
                "--endpoints=" + nodes.get(0).endpoint(),
                "snapshot",
                "save",
                backup.toString()));
        return backup;
    }

    /** A new cluster at the old place, with what was in this backup. */
    void restoreFrom(Path backup) {
        empty();
        nodes.forEach(node -> node.restoreFrom(backup, servers.etcdctl()));
        nodes.forEach(EtcdNode::start);
        awaitReady();
    }

    /** A new cluster at the old place, with nothing in it. */
    void rebuild() {
        empty();
        nodes.forEach(EtcdNode::start);
        awaitReady();
    }

    private void empty() {
        nodes.forEach(EtcdNode::kill);
        for (int i = 0; i < nodes.size(); i++) {
            deleteAll(folder.resolve("n" + i));
        }
    }

    /** Makes another server the leader of the store. */
    void moveLeader() {
        EtcdNode leader = leader();
        EtcdNode next = nodes.get((nodes.indexOf(leader) + 1) % nodes.size());
        String target = post(next, "/v3/maintenance/status", "{}").at("header").text("member_id");
        post(leader, "/v3/maintenance/transfer-leadership", "{\"targetID\":\"" + target + "\"}");
        Awaitility.await("a new leader of the store")
                .atMost(READY_WITHIN)
                .until(() -> post(next, "/v3/maintenance/status", "{}")
                        .text("leader")
                        .equals(target));
    }

    void revoke(String leaseHex) {
        post("/v3/lease/revoke", "{\"ID\":\"" + Long.parseUnsignedLong(leaseHex.toLowerCase(Locale.ROOT), 16) + "\"}");
    }

    void delete(KeyRange range) {
        post("/v3/kv/deleterange", "{" + range.json() + "}");
    }

    List<KeyValue> range(KeyRange range) {
        return KeyValue.inRange(post("/v3/kv/range", "{" + range.json() + "}"));
    }

    @Override
    public void close() {
        nodes.forEach(EtcdNode::kill);
        deleteAll(folder);
    }

    private static void deleteAll(Path folder) {
        try (java.util.stream.Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
