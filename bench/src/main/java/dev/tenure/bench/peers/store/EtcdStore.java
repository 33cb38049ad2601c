package dev.tenure.bench.peers.store;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.etcd.cluster.Cluster;
import dev.tenure.etcd.cluster.EtcdNode;
import dev.tenure.etcd.cluster.EtcdServers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Three servers of etcd, with their disks synced as etcd does by default. */
public final class EtcdStore implements Store {
    private static final Pattern COUNT = Pattern.compile("\"count\":\"(\\d+)\"");

    private final Cluster cluster = Cluster.start(EtcdServers.NEWEST, 3);
    /** A question of ours is a request too. */
    private final AtomicLong asked = new AtomicLong();

    private final List<EtcdNode> leaderFirst = new ArrayList<>(cluster.nodes());

    public EtcdStore() {
        EtcdNode leader = cluster.leader();
        leaderFirst.remove(leader);
        leaderFirst.add(0, leader);
    }

    @Override
    public String name() {
        return "etcd " + version();
    }

    private String version() {
        Matcher found =
                Pattern.compile("\"version\":\"([^\"]+)\"").matcher(cluster.post("/v3/maintenance/status", "{}"));
        return found.find() ? found.group(1) : "of unknown version";
    }

    @Override
    public Kind peer() {
        return Kind.JETCD;
    }

    @Override
    public Kind floor() {
        return Kind.ETCD_FLOOR;
    }

    @Override
    public String address(Kind kind) {
        return asKnownTo(kind, cluster.endpoints());
    }

    @Override
    public String address(Kind kind, int server) {
        return asKnownTo(kind, leaderFirst.get(server).endpoint());
    }

    private static String asKnownTo(Kind kind, String endpoints) {
        return kind == Kind.TENURE ? "etcd://" + endpoints + "/tenure" : endpoints;
    }

    @Override
    public long candidates() {
        return keysUnder("tenure/" + Kind.ELECTIONS)
                + keysUnder("jetcd/" + Kind.ELECTIONS)
                + keysUnder("floor/" + Kind.ELECTIONS);
    }

    private long keysUnder(String prefix) {
        byte[] from = prefix.getBytes(StandardCharsets.UTF_8);
        byte[] to = from.clone();
        to[to.length - 1]++;
        asked.incrementAndGet();
        String answer = cluster.post(
                "/v3/kv/range",
                "{\"key\":\"" + base64(from) + "\",\"range_end\":\"" + base64(to) + "\",\"count_only\":true}");
        Matcher found = COUNT.matcher(answer);
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    @Override
    public long requests() {
        long ours = asked.get();
        return cluster.nodes().stream()
                        .flatMap(node -> cluster.metrics(node).stream())
                        .filter(line -> line.startsWith("grpc_server_msg_received_total{"))
                        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                        .sum()
                - ours;
    }

    @Override
    public void close() {
        cluster.close();
    }
}
