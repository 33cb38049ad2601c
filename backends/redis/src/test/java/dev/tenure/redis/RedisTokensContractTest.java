// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis;

import dev.tenure.contract.BackendContract;
import dev.tenure.redis.servers.RedisServer.Product;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreBinding;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Elections whose tokens are drawn from another store. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("server")
@Tag("all")
class RedisTokensContractTest extends BackendContract {
    @TempDir
    private Path folder;

    @Override
    protected StoreBinding connect(String namespace, Host host) {
        String url = SharedServers.url(Product.REDIS, namespace) + "&tokens=local:" + folder.resolve(namespace);
        return new RedisProvider().connect(BackendUrl.parse(url), host);
    }
}
