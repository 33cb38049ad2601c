package dev.tenure.contract;

import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

/**
 * Where every test of a store begins and ends. The cases stand in one class per subject, each extending the one before, so
 * that a report names the backend's own class; and their methods are not visible to it, so that it cannot override them.
 */
abstract class StoreCases {
    final StoreLab lab = new StoreLab(this::open, this::ttl, this::patience);

    protected abstract LeaseStore open(String namespace, Host host) throws Exception;

    protected abstract Duration ttl();

    Patience patience(Duration ttl) {
        return Patience.forTtl(ttl);
    }

    @AfterEach
    final void closeEveryClient() {
        lab.close();
    }
}
