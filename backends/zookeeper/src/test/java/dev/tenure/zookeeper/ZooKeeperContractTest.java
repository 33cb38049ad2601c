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

    /** Of one second a holder could rely on 0.6, and two answers that are late by a fifth of a second would end its term. */
    @Override
    protected Duration ttl() {
        return Duration.ofSeconds(2);
    }

    @Override
    protected Optional<String> url(String namespace) {
        return Optional.of(place(namespace));
    }

    private static String place(String namespace) {
        return Ensemble.shared().url("/contract/" + namespace);
    }
}
