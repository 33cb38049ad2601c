// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.keyvalue;

import dev.tenure.ElectionName;
import dev.tenure.faults.candidate.Candidate;
import dev.tenure.faults.store.FaultScope;
import dev.tenure.faults.store.Records;
import dev.tenure.faults.store.Servers;
import dev.tenure.faults.store.StoreUnderTest;
import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.Server;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Three servers of ZooKeeper. */
public final class ZooKeeperStore implements StoreUnderTest, Servers, Records {
    private static final String BASE = "/faults";
    /** After so many ticks of silence the others give up a server. */
    private static final int SYNC_LIMIT = 15;

    private final Ensemble ensemble;

    private ZooKeeperStore(Ensemble ensemble) {
        this.ensemble = ensemble;
    }

    public static ZooKeeperStore start() {
        Ensemble ensemble = Ensemble.start(List.of("syncLimit=" + SYNC_LIMIT), List.of());
        return new ZooKeeperStore(ensemble);
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
        return ensemble.servers().stream().map(Server::port).toList();
    }

    @Override
    public String url(List<String> addresses) {
        return "zk://" + String.join(",", addresses) + BASE + "?tick=" + Ensemble.TICK.toMillis() + "ms";
    }

    @Override
    public void kill(int server) throws Exception {
        ensemble.servers().get(server).kill();
    }

    @Override
    public void stop(int server) throws Exception {
        ensemble.servers().get(server).stop();
    }

    @Override
    public void goOn(int server) throws Exception {
        ensemble.servers().get(server).resume();
    }

    @Override
    public void start(int server) throws Exception {
        ensemble.servers().get(server).startAgain();
    }

    @Override
    public int leader() {
        return ensemble.servers().indexOf(ensemble.leader());
    }

    @Override
    public void awaitReady() {
        ensemble.awaitReady();
    }

    @Override
    public void revokeSession() throws Exception {
        try (Operator operator = new Operator(ensemble.addresses())) {
            long session = operator.owner(leadersLatch(operator));
            for (Server server : ensemble.servers()) {
                server.endSession(session);
            }
        }
    }

    @Override
    public void deleteClaim() throws Exception {
        try (Operator operator = new Operator(ensemble.addresses())) {
            operator.remove(leadersLatch(operator));
        }
    }

    @Override
    public void wipe() throws Exception {
        try (Operator operator = new Operator(ensemble.addresses())) {
            operator.wipe(BASE);
        }
    }

    private static String leadersLatch(Operator operator) throws Exception {
        return operator.first(BASE + "/c/" + ElectionName.of(Candidate.ELECTION).encoded());
    }

    /**
     * A session lasts for the TTL, and its end is noticed within a tick. A client that gets no answers
     * tries to come back for a TTL, and each try is a sign of life. A store that was wiped is noticed with the next renewal.
     */
    @Override
    public Duration bound(FaultScope scope, Duration ttl) {
        Duration crash = ttl.plus(Ensemble.TICK);
        return switch (scope) {
            case CANDIDATE, STORE -> crash;
            case ANSWERS -> crash.plus(ttl);
            case SERVER -> crash.plus(Ensemble.TICK.multipliedBy(SYNC_LIMIT));
            case RECORDS -> ttl;
        };
    }

    @Override
    public void close() {
        ensemble.close();
    }
}
