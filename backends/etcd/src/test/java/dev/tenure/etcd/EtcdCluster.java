// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import dev.tenure.etcd.client.KeyRange;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.cluster.Cluster;
import dev.tenure.etcd.cluster.EtcdNode;
import dev.tenure.etcd.cluster.EtcdServers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.awaitility.Awaitility;

/** A real cluster, asked in the words of this backend. */
final class EtcdCluster implements AutoCloseable {
    private final Cluster cluster;

    private EtcdCluster(Cluster cluster) {
        this.cluster = cluster;
    }

    static EtcdCluster start(EtcdServers servers, int size, String... options) {
        return new EtcdCluster(Cluster.start(servers, size, options));
    }

    EtcdServers servers() {
        return cluster.servers();
    }

    List<EtcdNode> nodes() {
        return cluster.nodes();
    }

    String url(String folder) {
        return cluster.url(folder);
    }

    String endpoints() {
        return cluster.endpoints();
    }

    EtcdNode leader() {
        return cluster.leader();
    }

    void awaitReady() {
        cluster.awaitReady();
    }

    /** What time it is, as this server says. */
    Instant timeAt(EtcdNode node) {
        return cluster.timeAt(node);
    }

    /** By any server that runs. */
    Json post(String path, String body) {
        return Json.parse(cluster.post(path, body));
    }

    Path saveTo(Path backup) {
        return cluster.saveTo(backup);
    }

    void restoreFrom(Path backup) {
        cluster.restoreFrom(backup);
    }

    void rebuild() {
        cluster.rebuild();
    }

    /** Makes another server the leader of the store. */
    void moveLeader() {
        EtcdNode leader = leader();
        EtcdNode next = nodes().get((nodes().indexOf(leader) + 1) % nodes().size());
        String target = status(next).at("header").text("member_id");
        cluster.post(leader, "/v3/maintenance/transfer-leadership", "{\"targetID\":\"" + target + "\"}");
        Awaitility.await("a new leader of the store")
                .atMost(Duration.ofSeconds(60))
                .until(() -> status(next).text("leader").equals(target));
    }

    Json status(EtcdNode node) {
        return Json.parse(cluster.post(node, "/v3/maintenance/status", "{}"));
    }

    void revoke(String leaseHex) {
        post("/v3/lease/revoke", "{\"ID\":\"" + Long.parseUnsignedLong(leaseHex.toLowerCase(Locale.ROOT), 16) + "\"}");
    }

    List<String> leases() {
        return post("/v3/lease/leases", "{}").list("leases").stream()
                .map(lease -> lease.text("ID"))
                .toList();
    }

    /** How many requests to keep a lease alive have come to the servers. */
    long keepAlives() {
        return nodes().stream()
                .flatMap(node -> cluster.metrics(node).stream())
                .filter(line -> line.startsWith("grpc_server_msg_received_total{grpc_method=\"LeaseKeepAlive\""))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    void delete(KeyRange range) {
        post("/v3/kv/deleterange", "{" + json(range) + "}");
    }

    List<KeyValue> range(KeyRange range) {
        return post("/v3/kv/range", "{" + json(range) + "}").list("kvs").stream()
                .map(EtcdCluster::keyValue)
                .toList();
    }

    private static KeyValue keyValue(Json kv) {
        return new KeyValue(
                new String(Base64.getDecoder().decode(kv.text("key")), StandardCharsets.ISO_8859_1),
                new String(Base64.getDecoder().decode(kv.text("value")), StandardCharsets.UTF_8),
                kv.number("create_revision"),
                kv.number("mod_revision"),
                kv.number("lease"));
    }

    static String json(KeyRange range) {
        return "\"key\":\"" + base64(range.from()) + "\",\"range_end\":\"" + base64(range.to()) + '"';
    }

    static String base64(String key) {
        return Base64.getEncoder().encodeToString(key.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Override
    public void close() {
        cluster.close();
    }
}
