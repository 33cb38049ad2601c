package dev.tenure.zookeeper;

import dev.tenure.contract.BackendContract;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Door;
import dev.tenure.spi.Host;
import dev.tenure.zookeeper.ensemble.Ensemble;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What every backend keeps, on three real servers. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("server")
class ZooKeeperContractTest extends BackendContract {
    @Override
    protected Door connect(String namespace, Host host) {
        return new ZooKeeperProvider().connect(BackendUrl.parse(place(namespace)), host);
    }

    @Override
    protected Optional<String> url(String namespace) {
        return Optional.of(place(namespace));
    }

    private static String place(String namespace) {
        return Ensemble.shared().url("/contract/" + namespace);
    }
}
