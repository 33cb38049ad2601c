// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import dev.tenure.contract.BackendContract;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreBinding;
import java.util.Optional;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class H2BackendContractTest extends BackendContract {
    @Override
    protected StoreBinding connect(String namespace, Host host) {
        return new JdbcProvider().connect(BackendUrl.parse(place(namespace)), host);
    }

    @Override
    protected Optional<String> url(String namespace) {
        return Optional.of(place(namespace));
    }

    private static String place(String namespace) {
        return SharedServers.inNamespace(SharedServers.h2("contract"), namespace);
    }
}
