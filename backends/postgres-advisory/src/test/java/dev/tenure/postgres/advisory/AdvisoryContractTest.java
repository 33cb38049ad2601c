// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

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
class AdvisoryContractTest extends BackendContract {
    @Override
    protected StoreBinding connect(String namespace, Host host) {
        return new AdvisoryProvider().connect(BackendUrl.parse(AdvisoryServer.url(namespace)), host);
    }

    /** Cases run beside each other on one server: a second is little for a heartbeat that is repeated. */
    @Override
    protected Duration ttl() {
        return Duration.ofSeconds(2);
    }

    @Override
    protected Optional<String> url(String namespace) {
        return Optional.of(AdvisoryServer.url(namespace));
    }
}
