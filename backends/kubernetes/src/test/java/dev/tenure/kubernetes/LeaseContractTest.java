// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import dev.tenure.contract.BackendContract;
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
class LeaseContractTest extends BackendContract {
    /** A machine that runs other tests beside these may need seconds for a connection, for which there is a third of this. */
    private static final String TIMEOUT = "&timeout=9s";

    /** Of the URLs, each with the sign before it. */
    String options() {
        return TIMEOUT;
    }

    @Override
    protected StoreBinding connect(String namespace, Host host) {
        return new KubernetesProvider().connect(BackendUrl.parse(SharedApiServer.url(namespace, options())), host);
    }

    @Override
    protected Duration ttl() {
        return Duration.ofSeconds(5);
    }

    @Override
    protected Optional<String> url(String namespace) {
        return Optional.of(SharedApiServer.url(namespace, options()));
    }
}
