// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.spi.BackendTraits.ExpiryDetection;
import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The kit on a store in memory. */
abstract class MemoryLeaseStoreContract extends LeaseStoreContract {
    private final Map<String, MemoryStore.Space> spaces = new HashMap<>();
    private final ExpiryDetection judge;
    private final Wakeup wakeup;

    MemoryLeaseStoreContract(ExpiryDetection judge, Wakeup wakeup) {
        this.judge = judge;
        this.wakeup = wakeup;
    }

    MemoryStore.Space fresh() {
        return new MemoryStore.Space(judge, wakeup);
    }

    MemoryStore client(MemoryStore.Space space, Host host) {
        return new MemoryStore(space, host);
    }

    @Override
    protected LeaseStore open(String namespace, Host host) {
        return client(spaces.computeIfAbsent(namespace, any -> fresh()), host);
    }

    @Override
    protected Duration ttl() {
        return Duration.ofMillis(300);
    }
}
