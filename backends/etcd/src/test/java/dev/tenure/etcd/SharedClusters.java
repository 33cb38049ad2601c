// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import dev.tenure.etcd.cluster.EtcdServers;
import java.util.EnumMap;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

/** One cluster of each version for all tests that only need a namespace of their own; it ends with the JVM. */
final class SharedClusters {
    private static final Map<EtcdServers, EtcdCluster> RUNNING = new EnumMap<>(EtcdServers.class);
    /** Every client of the oldest servers warns of their bugs; here that is known. Held, or it would be forgotten. */
    static final Logger LOG = Logger.getLogger("dev.tenure");

    static {
        LOG.setLevel(Level.SEVERE);
    }

    private SharedClusters() {}

    static synchronized EtcdCluster of(EtcdServers servers) {
        return RUNNING.computeIfAbsent(servers, wanted -> {
            EtcdCluster cluster = EtcdCluster.start(wanted, 3);
            Runtime.getRuntime().addShutdownHook(new Thread(cluster::close));
            return cluster;
        });
    }
}
