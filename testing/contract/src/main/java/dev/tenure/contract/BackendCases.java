package dev.tenure.contract;

import dev.tenure.ElectionName;
import dev.tenure.spi.Door;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** Where every test of a backend begins and ends; built as {@link StoreCases} is, for the same reasons. */
@ExtendWith(Standstills.class)
abstract class BackendCases {
    static final ElectionName ELECTION = ElectionName.of("billing/sweeper");

    ElectionLab lab = new ElectionLab(this::connect, this::ttl);

    protected abstract Door connect(String namespace, Host host) throws Exception;

    protected abstract Duration ttl();

    protected abstract Optional<String> url(String namespace);

    /** As if nothing had happened. */
    final void beginAgain() {
        lab.close();
        lab = new ElectionLab(this::connect, this::ttl);
    }

    @AfterEach
    final void closeEveryProcess() {
        lab.close();
    }
}
