package dev.tenure.etcd;

import dev.tenure.etcd.cluster.Cluster;
import dev.tenure.etcd.cluster.EtcdNode;
import dev.tenure.etcd.cluster.EtcdServers;
import java.util.List;
import java.util.Locale;

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

    /** By any server that runs. */
    Json post(String path, String body) {
        return Json.parse(cluster.post(path, body));
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
        cluster.close();
    }
}
