// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.keyvalue;

import dev.tenure.ElectionName;
import dev.tenure.consul.servers.ConsulCluster;
import dev.tenure.consul.servers.ConsulNode;
import dev.tenure.faults.candidate.Candidate;
import dev.tenure.faults.store.FaultScope;
import dev.tenure.faults.store.Records;
import dev.tenure.faults.store.Servers;
import dev.tenure.faults.store.StoreUnderTest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Three servers of Consul. */
public final class ConsulStore implements StoreUnderTest, Servers, Records {
    private static final String FOLDER = "faults";
    private static final int SERVERS = 3;
    private static final Duration ELECTION_TIMEOUT = Duration.ofSeconds(2);
    private static final Pattern SESSION = Pattern.compile("\"Session\":\\s*\"([^\"]+)\"");

    private final ConsulCluster cluster;

    private ConsulStore(ConsulCluster cluster) {
        this.cluster = cluster;
    }

    public static ConsulStore start() {
        return new ConsulStore(ConsulCluster.start(SERVERS, ""));
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
        return cluster.nodes().stream().map(ConsulNode::httpPort).toList();
    }

    @Override
    public String url(List<String> addresses) {
        return "consul://" + String.join(",", addresses) + "/" + FOLDER;
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
        String lock =
                cluster.send("GET", "/v1/kv/" + lock() + "?consistent", "").body();
        Matcher session = SESSION.matcher(lock);
        if (!session.find()) {
            throw new IllegalStateException("nobody leads, says Consul: " + lock);
        }
        cluster.send("PUT", "/v1/session/destroy/" + session.group(1), "");
    }

    @Override
    public void deleteClaim() {
        cluster.send("DELETE", "/v1/kv/" + lock(), "");
    }

    @Override
    public void wipe() {
        cluster.send("DELETE", "/v1/kv/" + FOLDER + "/?recurse", "");
    }

    private static String lock() {
        return FOLDER + "/" + ElectionName.of(Candidate.ELECTION).encoded() + "/.lock";
    }

    /** By docs/backends/consul.md: a session that is silent lives for two TTLs, and all begin anew with another leader of the servers. */
    @Override
    public Duration bound(FaultScope scope, Duration ttl) {
        Duration silence = ttl.multipliedBy(2);
        return switch (scope) {
            case CANDIDATE, ANSWERS -> silence;
            case STORE -> silence.plus(ELECTION_TIMEOUT);
            case SERVER -> silence.plus(ttl).plus(ELECTION_TIMEOUT);
            case RECORDS -> ttl.dividedBy(2);
        };
    }

    @Override
    public void close() {
        cluster.close();
    }
}
