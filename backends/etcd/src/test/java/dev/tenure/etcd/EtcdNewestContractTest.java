// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import dev.tenure.contract.BackendContract;
import dev.tenure.etcd.cluster.EtcdServers;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreBinding;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
@Tag("server")
class EtcdNewestContractTest extends BackendContract {
    private final EtcdCluster cluster = SharedClusters.of(EtcdServers.NEWEST);

    @Override
    protected StoreBinding connect(String namespace, Host host) {
        return new EtcdProvider().connect(BackendUrl.parse(cluster.url(namespace)), host);
    }

    @Override
    protected Duration ttl() {
        return Duration.ofSeconds(2);
    }

    @Override
    protected Optional<String> url(String namespace) {
        return Optional.of(cluster.url(namespace));
    }
}
