// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis;

import dev.tenure.contract.BackendContract;
import dev.tenure.redis.servers.RedisServer.Product;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreBinding;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
@Tag("server")
@Tag("all")
class ValkeyBackendContractTest extends BackendContract {
    @Override
    protected StoreBinding connect(String namespace, Host host) {
        return new RedisProvider().connect(BackendUrl.parse(SharedServers.url(Product.VALKEY, namespace)), host);
    }

    @Override
    protected Optional<String> url(String namespace) {
        return Optional.of(SharedServers.url(Product.VALKEY, namespace));
    }
}
