// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults;

import dev.tenure.faults.keyvalue.SentinelStore;
import dev.tenure.faults.store.StoreUnderTest;
import java.time.Duration;

class RedisFaultsTest extends FaultsOn {
    RedisFaultsTest() {
        super("redis", Duration.ofSeconds(2));
    }

    @Override
    StoreUnderTest startStore() {
        return SentinelStore.start();
    }
}
