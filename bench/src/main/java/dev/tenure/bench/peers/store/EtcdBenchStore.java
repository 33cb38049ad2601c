// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.store;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.etcd.cluster.Cluster;
import dev.tenure.etcd.cluster.EtcdNode;
import dev.tenure.etcd.cluster.EtcdServers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Servers of etcd, with their disks synced as etcd does by default. */
public final class EtcdBenchStore implements BenchStore {
    private static final Pattern COUNT = Pattern.compile("\"count\":\"(\\d+)\"");

    private final Cluster cluster;
    private final List<EtcdNode> leaderFirst;
    /** A question of ours is a request too. */
    private final AtomicLong asked = new AtomicLong();

    public EtcdBenchStore(int servers) {
        cluster = Cluster.start(EtcdServers.NEWEST, servers);
        leaderFirst = new ArrayList<>(cluster.nodes());
        EtcdNode leader = cluster.leader();
        leaderFirst.remove(leader);
        leaderFirst.add(0, leader);
    }

    @Override
    public String name() {
        return "etcd " + version() + " x " + leaderFirst.size();
    }

    private String version() {
        Matcher found =
                Pattern.compile("\"version\":\"([^\"]+)\"").matcher(cluster.post("/v3/maintenance/status", "{}"));
        return found.find() ? found.group(1) : "of unknown version";
    }

    @Override
    public List<Kind> peers() {
        return List.of(Kind.JETCD);
    }

    @Override
    public Optional<Kind> floor() {
        return Optional.of(Kind.ETCD_FLOOR);
    }

    @Override
    public String address(Kind kind) {
        return asKnownTo(kind, cluster.endpoints());
    }

    @Override
    public String address(Kind kind, int server) {
        return asKnownTo(kind, leaderFirst.get(server % leaderFirst.size()).endpoint());
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

    /** A server that takes part in a writing transaction counts what is read in it; a proposal is counted by all alike. */
    @Override
    public Counts counts() {
        long ours = asked.get();
        List<List<String>> metrics = leaderFirst.stream().map(cluster::metrics).toList();
        return new Counts(
                metrics.stream()
                                .mapToLong(lines -> sum(lines, "grpc_server_msg_received_total{"))
                                .sum()
                        - ours,
                metrics.stream()
                                .mapToLong(lines -> sum(lines, "etcd_mvcc_range_total "))
                                .sum()
                        - ours,
                sum(metrics.get(0), "etcd_server_proposals_committed_total "));
    }

    private static long sum(List<String> lines, String name) {
        return lines.stream()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Override
    public void close() {
        cluster.close();
    }
}
