// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis.redlock;

import dev.tenure.contract.LeaseStoreContract;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Records in a majority of three real servers. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("server")
class RedlockStoreContractTest extends LeaseStoreContract {
    @TempDir
    private Path folder;

    @Override
    protected LeaseStore open(String namespace, Host host) {
        String url = LockServers.shared(folder).url(namespace, folder);
        return new RedlockProvider().connect(BackendUrl.parse(url), host);
    }
}
