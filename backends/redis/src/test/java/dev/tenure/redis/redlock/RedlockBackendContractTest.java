// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis.redlock;

import dev.tenure.contract.BackendContract;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreBinding;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Elections in a majority of three real servers. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("server")
@Tag("all")
class RedlockBackendContractTest extends BackendContract {
    @TempDir
    private Path folder;

    @Override
    protected StoreBinding connect(String namespace, Host host) {
        String url = LockServers.shared(folder).url(namespace, folder);
        return new RedlockProvider().connect(BackendUrl.parse(url), host);
    }
}
