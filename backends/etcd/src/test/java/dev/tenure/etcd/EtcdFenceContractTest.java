// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import dev.tenure.Fence;
import dev.tenure.Term;
import dev.tenure.contract.FenceContract;
import dev.tenure.contract.GuardedResource;
import dev.tenure.etcd.client.KeyRange;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.cluster.EtcdServers;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;

@Tag("server")
class EtcdFenceContractTest extends FenceContract {
    private static final AtomicInteger WRITES = new AtomicInteger();

    private final EtcdCluster cluster = SharedClusters.of(EtcdServers.OLDEST);

    @Override
    protected GuardedResource open(String resource) {
        EtcdFence fence = EtcdFence.at(cluster.url("fences"), resource);
        return new GuardedResource() {
            @Override
            public Fence fence() {
                return fence;
            }

            @Override
            public void write(Term term, String value) throws Exception {
                String key = resource + "/" + WRITES.incrementAndGet();
                fence.write(term, List.of(EtcdFence.put(key, value)));
            }

            @Override
            public List<String> accepted() {
                return cluster.range(KeyRange.under(resource + "/")).stream()
                        .sorted(Comparator.comparingLong(KeyValue::createRevision))
                        .map(KeyValue::value)
                        .toList();
            }
        };
    }
}
