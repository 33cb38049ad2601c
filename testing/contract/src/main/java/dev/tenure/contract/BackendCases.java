package dev.tenure.contract;

import dev.tenure.ElectionName;
import dev.tenure.spi.Door;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;

/** Where every test of a backend begins and ends; built as {@link StoreCases} is, for the same reasons. */
abstract class BackendCases {
    static final ElectionName ELECTION = ElectionName.of("billing/sweeper");

    final ElectionLab lab = new ElectionLab(this::connect, this::ttl);

    protected abstract Door connect(String namespace, Host host) throws Exception;

    protected abstract Duration ttl();

    protected abstract Optional<String> url(String namespace);

    @AfterEach
    final void closeEveryProcess() {
        lab.close();
    }
}
