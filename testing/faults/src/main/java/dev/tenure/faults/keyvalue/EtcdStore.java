// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.keyvalue;

import dev.tenure.ElectionName;
import dev.tenure.etcd.cluster.Cluster;
import dev.tenure.etcd.cluster.EtcdNode;
import dev.tenure.etcd.cluster.EtcdServers;
import dev.tenure.faults.candidate.Candidate;
import dev.tenure.faults.store.FaultScope;
import dev.tenure.faults.store.Records;
import dev.tenure.faults.store.Servers;
import dev.tenure.faults.store.StoreUnderTest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Three servers of etcd. */
public final class EtcdStore implements StoreUnderTest, Servers, Records {
    private static final String FOLDER = "faults";
    private static final int SERVERS = 3;
    /** How often etcd looks for leases that have expired. */
    private static final Duration LOOKS_FOR_EXPIRED = Duration.ofMillis(500);

    private static final Duration ELECTION_TIMEOUT = Duration.ofSeconds(1);

    private static final Pattern KEY = Pattern.compile("\"key\":\"([^\"]+)\"");
    private static final Pattern LEASE = Pattern.compile("\"lease\":\"(-?[0-9]+)\"");

    private final Cluster cluster;

    private EtcdStore(Cluster cluster) {
        this.cluster = cluster;
    }

    public static EtcdStore start() {
        return new EtcdStore(Cluster.start(EtcdServers.NEWEST, SERVERS));
    }

    @Override
    public Optional<Servers> servers() {
        return Optional.of(this);
    }

    @Override
    public Optional<Records> records() {
        return Optional.of(this);
    }

    @Override
    public List<Integer> ports() {
        return cluster.nodes().stream().map(EtcdNode::clientPort).toList();
    }

    @Override
    public String url(List<String> addresses) {
        return "etcd://" + String.join(",", addresses) + "/" + FOLDER;
    }

    @Override
    public void kill(int server) {
        cluster.nodes().get(server).kill();
    }

    @Override
    public void stop(int server) {
        cluster.nodes().get(server).stop();
    }

    @Override
    public void goOn(int server) {
        cluster.nodes().get(server).goOn();
    }

    @Override
    public void start(int server) {
        cluster.nodes().get(server).start();
    }

    @Override
    public int leader() {
        return cluster.nodes().indexOf(cluster.leader());
    }

    @Override
    public void awaitReady() {
        cluster.awaitReady();
    }

    @Override
    public void revokeSession() {
        cluster.post("/v3/lease/revoke", "{\"ID\":\"" + find(LEASE, leadersEntry()) + "\"}");
    }

    @Override
    public void deleteClaim() {
        cluster.post("/v3/kv/deleterange", "{\"key\":\"" + find(KEY, leadersEntry()) + "\"}");
    }

    @Override
    public void wipe() {
        cluster.post("/v3/kv/deleterange", "{" + under(FOLDER + "/") + "}");
    }

    /** The candidate whose entry was created first leads. */
    private String leadersEntry() {
        String election = ElectionName.of(Candidate.ELECTION).encoded();
        return cluster.post(
                "/v3/kv/range",
                "{" + under(FOLDER + "/" + election + "/")
                        + ",\"limit\":1,\"sort_order\":\"ASCEND\",\"sort_target\":\"CREATE\"}");
    }

    private static String find(Pattern pattern, String answer) {
        Matcher matcher = pattern.matcher(answer);
        if (!matcher.find()) {
            throw new IllegalStateException("nobody leads, says etcd: " + answer);
        }
        return matcher.group(1);
    }

    /** All keys that begin so: up to the first that does not, which has one more in its last byte. */
    private static String under(String prefix) {
        int last = prefix.length() - 1;
        String end = prefix.substring(0, last) + (char) (prefix.charAt(last) + 1);
        return "\"key\":\"" + base64(prefix) + "\",\"range_end\":\"" + base64(end) + "\"";
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A crash costs the TTL and the next look; an election among the servers starts every lease anew, with a little more. */
    @Override
    public Duration bound(FaultScope scope, Duration ttl) {
        return switch (scope) {
            case CANDIDATE, ANSWERS -> ttl.plus(LOOKS_FOR_EXPIRED);
            case STORE -> ttl.plus(ELECTION_TIMEOUT).plus(LOOKS_FOR_EXPIRED);
            case SERVER -> ttl.multipliedBy(2).plus(ELECTION_TIMEOUT).plus(LOOKS_FOR_EXPIRED);
            case RECORDS -> ttl.dividedBy(2);
        };
    }

    @Override
    public void close() {
        cluster.close();
    }
}
