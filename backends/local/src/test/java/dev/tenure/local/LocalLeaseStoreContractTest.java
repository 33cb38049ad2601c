// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import dev.tenure.contract.LeaseStoreContract;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class LocalLeaseStoreContractTest extends LeaseStoreContract {
    @TempDir
    Path directory;

    @Override
    protected LeaseStore open(String namespace, Host host) {
        return LocalStore.open(directory.resolve(namespace), host);
    }
}
