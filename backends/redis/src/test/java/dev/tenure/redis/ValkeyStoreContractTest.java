// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis;

import dev.tenure.contract.LeaseStoreContract;
import dev.tenure.redis.servers.RedisServer.Product;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
@Tag("server")
class ValkeyStoreContractTest extends LeaseStoreContract {
    @Override
    protected LeaseStore open(String namespace, Host host) {
        return new RedisProvider().connect(BackendUrl.parse(SharedServers.url(Product.VALKEY, namespace)), host);
    }
}
