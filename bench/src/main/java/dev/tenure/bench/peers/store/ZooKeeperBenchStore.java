// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.store;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** Servers of ZooKeeper with the usual tick; they do not wait for the disk, for nobody who is measured here. */
public final class ZooKeeperBenchStore implements BenchStore {
    private static final Duration TICK = Duration.ofSeconds(2);

    private final Ensemble ensemble;
    private final List<Server> leaderFirst;
    /** A question to a server is a packet too. */
    private final AtomicLong asked = new AtomicLong();

    public ZooKeeperBenchStore(int servers) {
        ensemble = Ensemble.start(servers, List.of("tickTime=" + TICK.toMillis()), List.of());
        leaderFirst = new ArrayList<>(ensemble.servers());
        if (servers > 1) {
            Server leader = ensemble.leader();
            leaderFirst.remove(leader);
            leaderFirst.add(0, leader);
        }
    }

    @Override
    public String name() {
        String version = leaderFirst.get(0).ask("srvr").lines().findFirst().orElse("Zookeeper version: unknown");
        return "ZooKeeper " + version.replaceFirst(".*version: ", "").replaceFirst("-.*", "") + " x "
                + leaderFirst.size();
    }

    @Override
    public List<Kind> peers() {
        return List.of(Kind.CURATOR);
    }

    @Override
    public Optional<Kind> floor() {
        return Optional.of(Kind.ZOOKEEPER_FLOOR);
    }

    @Override
    public String address(Kind kind) {
        return asKnownTo(kind, ensemble.addresses());
    }

    @Override
    public String address(Kind kind, int server) {
        return asKnownTo(kind, leaderFirst.get(server % leaderFirst.size()).address());
    }

    private static String asKnownTo(Kind kind, String addresses) {
        return kind == Kind.TENURE ? "zk://" + addresses + "/tenure" : addresses;
    }

    @Override
    public long candidates() {
        return counter(leaderFirst.get(0), "zk_ephemerals_count");
    }

    @Override
    public boolean countsReads() {
        return false;
    }

    @Override
    public Counts counts() {
        long before = asked.get();
        long packets = leaderFirst.stream()
                .mapToLong(server -> counter(server, "zk_packets_received"))
                .sum();
        return new Counts(
                packets - before, 0, leaderFirst.size() > 1 ? counter(leaderFirst.get(0), "zk_proposal_count") : 0);
    }

    @Override
    public double idleInPeers() {
        return 2;
    }

    @Override
    public Optional<Duration> expiryDelayMax() {
        return Optional.of(TICK);
    }

    private long counter(Server server, String name) {
        String answer = server.ask("mntr");
        asked.incrementAndGet();
        return answer.lines()
                .filter(line -> line.startsWith(name + "\t"))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(server.address() + " does not tell " + name));
    }

    @Override
    public void close() {
        ensemble.close();
    }
}
