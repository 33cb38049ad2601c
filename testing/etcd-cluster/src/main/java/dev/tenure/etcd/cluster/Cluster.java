// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.cluster;

import dev.tenure.support.Folders;
import dev.tenure.support.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;

/** A real cluster of etcd on free loopback ports in a temporary folder. */
public final class Cluster implements AutoCloseable {
    private static final Duration READY_WITHIN = Duration.ofSeconds(60);

    private final EtcdServers servers;
    private final Path folder;
    private final List<EtcdNode> nodes = new ArrayList<>();
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(1))
            .build();

    private Cluster(EtcdServers servers, Path folder) {
        this.servers = servers;
        this.folder = folder;
    }

    public static Cluster start(EtcdServers servers, int size, String... options) {
        return start(servers, Collections.nCopies(size, List.of(options)));
    }

    /** @param optionsOfEach one server for each of these */
    public static Cluster start(EtcdServers servers, List<List<String>> optionsOfEach) {
        Cluster cluster = new Cluster(servers, Folders.temporary("etcd"));
        cluster.prepare(optionsOfEach);
        cluster.nodes.forEach(EtcdNode::start);
        cluster.awaitReady();
        return cluster;
    }

    private void prepare(List<List<String>> optionsOfEach) {
        int size = optionsOfEach.size();
        List<Integer> ports = Ports.free(2 * size);
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
            arguments.addAll(optionsOfEach.get(i));
            nodes.add(new EtcdNode(servers.etcd(), arguments, folder.resolve("n" + i + ".log"), ports.get(2 * i + 1)));
        }
    }

    public EtcdServers servers() {
        return servers;
    }

    public List<EtcdNode> nodes() {
        return nodes;
    }

    public String url(String folder) {
        return "etcd://" + endpoints() + "/" + folder;
    }

    public String endpoints() {
        return nodes.stream().map(EtcdNode::endpoint).collect(Collectors.joining(","));
    }

    public void awaitReady() {
        Awaitility.await("a cluster that answers")
                .atMost(READY_WITHIN)
                .until(() -> nodes.stream()
                        .filter(EtcdNode::isRunning)
                        .allMatch(node -> answers(node, "/v3/kv/range", "{\"key\":\"AA==\"}")));
    }

    private boolean answers(EtcdNode node, String path, String body) {
        try {
            return post(node, path, body).contains("\"header\"");
        } catch (IllegalStateException notYet) {
            return false;
        }
    }

    /** What this server answers to a request of the JSON gateway, as it came. */
    public String post(EtcdNode node, String path, String body) {
        return send(node, path, request -> request.POST(BodyPublishers.ofString(body)));
    }

    /** By any server that runs. */
    public String post(String path, String body) {
        EtcdNode node = nodes.stream().filter(EtcdNode::isRunning).findFirst().orElseThrow();
        return post(node, path, body);
    }

    /** The lines of a server's own counters. */
    public List<String> metrics(EtcdNode node) {
        return send(node, "/metrics", HttpRequest.Builder::GET).lines().toList();
    }

    /** What time it is, as this server says. */
    public Instant timeAt(EtcdNode node) {
        String date = answer(node, "/version", HttpRequest.Builder::GET)
                .headers()
                .firstValue("date")
                .orElseThrow();
        return Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date));
    }

    private String send(EtcdNode node, String path, UnaryOperator<HttpRequest.Builder> kind) {
        return answer(node, path, kind).body();
    }

    private HttpResponse<String> answer(EtcdNode node, String path, UnaryOperator<HttpRequest.Builder> kind) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://" + node.endpoint() + path))
                .timeout(Duration.ofSeconds(5));
        try {
            return http.send(kind.apply(request).build(), BodyHandlers.ofString());
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    public EtcdNode leader() {
        return nodes.stream()
                .filter(node -> metrics(node).contains("etcd_server_is_leader 1"))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the cluster has no leader"));
    }

    public Path saveTo(Path backup) {
        EtcdNode.run(List.of(
                servers.etcdctl().toString(),
                "--endpoints=" + nodes.get(0).endpoint(),
                "snapshot",
                "save",
                backup.toString()));
        return backup;
    }

    /** A new cluster at the old place, with what was in this backup. */
    public void restoreFrom(Path backup) {
        empty();
        nodes.forEach(node -> node.restoreFrom(backup, servers.etcdctl()));
        nodes.forEach(EtcdNode::start);
        awaitReady();
    }

    /** A new cluster at the old place, with nothing in it. */
    public void rebuild() {
        empty();
        nodes.forEach(EtcdNode::start);
        awaitReady();
    }

    private void empty() {
        nodes.forEach(EtcdNode::kill);
        for (int i = 0; i < nodes.size(); i++) {
            Folders.delete(folder.resolve("n" + i));
        }
    }

    @Override
    public void close() {
        nodes.forEach(EtcdNode::kill);
        Folders.delete(folder);
    }
}
