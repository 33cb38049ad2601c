package dev.tenure.bench.peers.store;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.Server;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Three servers of ZooKeeper; they do not wait for the disk, for nobody who is measured here. */
public final class ZooKeeperStore implements Store {
    private final Ensemble ensemble = Ensemble.start();
    private final List<Server> leaderFirst = new ArrayList<>(ensemble.servers());
    /** A question to a server is a packet too. */
    private final AtomicLong asked = new AtomicLong();

    public ZooKeeperStore() {
        Server leader = ensemble.leader();
        leaderFirst.remove(leader);
        leaderFirst.add(0, leader);
    }

    @Override
    public String name() {
        String version = leaderFirst.get(0).ask("srvr").lines().findFirst().orElse("Zookeeper version: unknown");
        return "ZooKeeper " + version.replaceFirst(".*version: ", "").replaceFirst("-.*", "");
    }

    @Override
    public Kind peer() {
        return Kind.CURATOR;
    }

    @Override
    public Kind floor() {
        return Kind.ZOOKEEPER_FLOOR;
    }

    @Override
    public String address(Kind kind) {
        return asKnownTo(kind, ensemble.addresses());
    }

    @Override
    public String address(Kind kind, int server) {
        return asKnownTo(kind, leaderFirst.get(server).address());
    }

    private static String asKnownTo(Kind kind, String addresses) {
        return kind == Kind.TENURE
                ? "zk://" + addresses + "/tenure?tick=" + Ensemble.TICK.toMillis() + "ms"
                : addresses;
    }

    @Override
    public long candidates() {
        return counter(leaderFirst.get(0), "zk_ephemerals_count");
    }

    @Override
    public long requests() {
        long before = asked.get();
        return ensemble.servers().stream()
                        .mapToLong(server -> counter(server, "zk_packets_received"))
                        .sum()
                - before;
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
