// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import dev.tenure.contract.BackendContract;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreBinding;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class LocalBackendContractTest extends BackendContract {
    @TempDir
    private Path directory;

    @Override
    protected StoreBinding connect(String namespace, Host host) {
        return LocalStore.open(directory.resolve(namespace), host);
    }

    @Override
    protected Optional<String> url(String namespace) {
        return Optional.of("local:" + directory.resolve(namespace));
    }
}
