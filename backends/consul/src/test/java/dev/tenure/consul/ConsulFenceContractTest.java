// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import dev.tenure.Fence;
import dev.tenure.Term;
import dev.tenure.consul.servers.ConsulCluster;
import dev.tenure.contract.FenceContract;
import dev.tenure.contract.GuardedResource;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;

@Tag("server")
class ConsulFenceContractTest extends FenceContract {
    private static final AtomicInteger WRITES = new AtomicInteger();

    private final ConsulCluster cluster = SharedServers.cluster();

    @Override
    protected GuardedResource open(String resource) {
        ConsulFence fence = ConsulFence.at(cluster.url("fences"), resource);
        return new GuardedResource() {
            @Override
            public Fence fence() {
                return fence;
            }

            @Override
            public void write(Term term, String value) throws Exception {
                String key = "guarded/" + resource + "/" + WRITES.incrementAndGet();
                fence.write(term, List.of(ConsulFence.put(key, value)));
            }

            @Override
            public List<String> accepted() {
                return Keys.under(cluster, "guarded/" + resource + "/").stream()
                        .sorted(Comparator.comparingLong(KeyValueEntry::index))
                        .map(KeyValueEntry::value)
                        .toList();
            }
        };
    }
}
