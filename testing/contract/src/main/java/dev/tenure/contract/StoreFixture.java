// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

/** Where every test of a store begins and ends. */
abstract class StoreFixture implements StoreCases {
    final StoreNamespace namespace = new StoreNamespace(this::open, this::ttl, this::patience);

    protected abstract LeaseStore open(String namespace, Host host) throws Exception;

    protected abstract Duration ttl();

    /** How long the suite waits for what a store does with such a TTL. */
    Await patience(Duration ttl) {
        return Await.forTtl(ttl);
    }

    @Override
    public final StoreNamespace namespace() {
        return namespace;
    }

    @AfterEach
    final void closeEveryClient() {
        namespace.close();
    }
}
