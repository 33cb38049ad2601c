// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import dev.tenure.contract.BackendContract;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreBinding;
import dev.tenure.zookeeper.ensemble.Ensemble;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What every backend keeps, on three real servers. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("server")
class ZooKeeperContractTest extends BackendContract {
    @Override
    protected StoreBinding connect(String namespace, Host host) {
        return new ZooKeeperProvider().connect(BackendUrl.parse(place(namespace)), host);
    }

    /**
     * A holder can rely on 2.3 of these three seconds. Of two seconds it was 1.5, and a case that counts terms failed once on a busy
     * machine, on which a term had ended as it has to.
     */
    @Override
    protected Duration ttl() {
        return Duration.ofSeconds(3);
    }

    @Override
    protected Optional<String> url(String namespace) {
        return Optional.of(place(namespace));
    }

    private static String place(String namespace) {
        return Ensemble.shared().url("/contract/" + namespace);
    }
}
