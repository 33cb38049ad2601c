// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import dev.tenure.internal.host.SystemHost;
import dev.tenure.simulator.script.RealStoreTarget;
import dev.tenure.simulator.script.ScriptRunner;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.zookeeper.client.Paths;
import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.Server;
import dev.tenure.zookeeper.ensemble.ZooKeeperProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** Three real servers of ZooKeeper, as a script wants them. Everybody has a way of its own to each of them. */
final class ZooKeeperStage extends RealStoreTarget {
    private final Ensemble ensemble;
    private final String base;
    private final Map<String, List<ZooKeeperProxy>> ways = new HashMap<>();

    ZooKeeperStage(Ensemble ensemble, String base) {
        super(SystemHost::start);
        this.ensemble = ensemble;
        this.base = base;
    }

    @Override
    protected Backend connect(String who, Host host) {
        List<ZooKeeperProxy> own = new ArrayList<>();
        ways.put(who, own);
        for (Server server : ensemble.servers()) {
            own.add(new ZooKeeperProxy(server));
        }
        String addresses = own.stream().map(ZooKeeperProxy::address).collect(Collectors.joining(","));
        String url = "zk://" + addresses + base + "?tick=" + Ensemble.TICK.toMillis() + "ms";
        return (Backend) new ZooKeeperProvider().connect(BackendUrl.parse(url), host);
    }

    /** Its client would close the session when nobody renews it: so nothing of it may get through. */
    @Override
    public void vanish(String who) {
        ways.get(who).forEach(way -> way.become(ZooKeeperProxy.State.CUT));
    }

    @Override
    public void revoke(String session) {
        throw new UnsupportedOperationException("nobody ends another's session in ZooKeeper");
    }

    @Override
    public BooleanSupplier changeLeader() {
        Server before = ensemble.leader();
        before.kill();
        return () -> anotherLeads(before);
    }

    private boolean anotherLeads(Server before) {
        boolean elected = ensemble.servers().stream()
                .anyMatch(server -> server != before
                        && server.mode().filter("leader"::equals).isPresent());
        if (elected) {
            try {
                before.startAgain();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
        return elected;
    }

    @Override
    public void removeElection() {
        try (Operator operator = new Operator(ensemble.addresses())) {
            operator.remove(Paths.below(base, Paths.Access.OPEN).election(ScriptRunner.ELECTION));
        } catch (Exception failure) {
            throw new IllegalStateException("the election cannot be removed", failure);
        }
    }

    @Override
    public void close() {
        super.close();
        ways.values().forEach(own -> own.forEach(ZooKeeperProxy::close));
    }
}
