// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import dev.tenure.consul.servers.ConsulCluster;
import java.util.Optional;

/** One cluster for all tests that only need a prefix of their own; it ends with the JVM. */
final class SharedServers {
    private static Optional<ConsulCluster> running = Optional.empty();

    private SharedServers() {}

    static synchronized ConsulCluster cluster() {
        if (running.isEmpty()) {
            ConsulCluster cluster = ConsulCluster.start(3, "");
            Runtime.getRuntime().addShutdownHook(new Thread(cluster::close));
            running = Optional.of(cluster);
        }
        return running.get();
    }
}
