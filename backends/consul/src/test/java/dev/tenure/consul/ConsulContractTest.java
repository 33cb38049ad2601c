// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import dev.tenure.consul.servers.ConsulCluster;
import dev.tenure.contract.BackendContract;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreBinding;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
@Tag("server")
class ConsulContractTest extends BackendContract {
    private final ConsulCluster cluster = SharedServers.cluster();

    @Override
    protected StoreBinding connect(String namespace, Host host) {
        return ConsulBackend.connect(cluster.url(namespace), host);
    }

    @Override
    protected Duration ttl() {
        return Duration.ofSeconds(1);
    }

    @Override
    protected Optional<String> url(String namespace) {
        return Optional.of(cluster.url(namespace));
    }
}
