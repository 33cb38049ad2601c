// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.spi.BackendTraits.ExpiryDetection;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.testing.InMemoryLeaseStore;
import dev.tenure.testing.VirtualTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;

/** The store behind the fake elections that users test with keeps what real ones keep. */
class InMemoryLeaseStoreContractTest extends LeaseStoreContract {
    private final Map<String, World> worlds = new HashMap<>();

    private record World(InMemoryLeaseStore store, PacedStore.Pace pace) {
        static World fresh() {
            VirtualTime time = new VirtualTime();
            InMemoryLeaseStore store = InMemoryLeaseStore.on(time)
                    .judgedBy(ExpiryDetection.SERVER_TIME)
                    .withLatency(Duration.ofNanos(10_000));
            return new World(store, new PacedStore.Pace(time));
        }
    }

    @Override
    protected LeaseStore open(String namespace, Host host) {
        World world = worlds.computeIfAbsent(namespace, any -> World.fresh());
        return new PacedStore(world.store, world.pace);
    }

    @Override
    protected Duration ttl() {
        return Duration.ofMillis(300);
    }

    @AfterEach
    void stopTime() {
        worlds.values().forEach(world -> world.pace.stop());
    }
}
