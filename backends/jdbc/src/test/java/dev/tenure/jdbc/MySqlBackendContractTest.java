// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import dev.tenure.contract.BackendContract;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreBinding;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Only where the newest suite of Debian can be had: no other has MySQL. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("all")
@Tag("server")
@EnabledIf(value = "dev.tenure.jdbc.SharedServers#hasMySql", disabledReason = "no MySQL can be had here")
class MySqlBackendContractTest extends BackendContract {
    /** A second leaves 0.2 s for the retry of a renewal, which is three statements: too little on a busy machine. */
    @Override
    protected Duration ttl() {
        return Duration.ofSeconds(2);
    }

    @Override
    protected StoreBinding connect(String namespace, Host host) {
        return new JdbcProvider().connect(BackendUrl.parse(place(namespace)), host);
    }

    @Override
    protected Optional<String> url(String namespace) {
        return Optional.of(place(namespace));
    }

    private static String place(String namespace) {
        return SharedServers.inNamespace(SharedServers.mySql().url(), namespace);
    }
}
