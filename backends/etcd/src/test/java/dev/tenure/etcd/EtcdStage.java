// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import dev.tenure.etcd.cluster.EtcdNode;
import dev.tenure.internal.host.SystemHost;
import dev.tenure.simulator.script.RealStoreTarget;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import java.util.function.BooleanSupplier;

/** Three real servers of etcd, as a script wants them. */
final class EtcdStage extends RealStoreTarget {
    private final EtcdCluster cluster;
    private final String folder;

    EtcdStage(EtcdCluster cluster, String folder) {
        super(SystemHost::start);
        this.cluster = cluster;
        this.folder = folder;
    }

    @Override
    protected Backend connect(String who, Host host) {
        return (Backend) new EtcdProvider().connect(BackendUrl.parse(cluster.url(folder)), host);
    }

    /** A lease knows of nobody but who renews it, and that has stopped. */
    @Override
    public void vanish(String who) {}

    @Override
    public void revoke(String session) {
        cluster.revoke(session);
    }

    @Override
    public BooleanSupplier changeLeader() {
        EtcdNode before = cluster.leader();
        String memberId = cluster.status(before).at("header").text("member_id");
        before.kill();
        return () -> anotherLeads(before, memberId);
    }

    private boolean anotherLeads(EtcdNode before, String memberId) {
        for (EtcdNode node : cluster.nodes()) {
            if (node != before) {
                String leader = cluster.status(node).text("leader");
                if (leader.isEmpty() || leader.equals("0") || leader.equals(memberId)) {
                    return false;
                }
            }
        }
        before.start();
        return true;
    }

    @Override
    public void removeElection() {
        throw new UnsupportedOperationException("etcd has no places that could vanish");
    }
}
