// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults;

import dev.tenure.faults.keyvalue.ConsulStore;
import dev.tenure.faults.store.StoreUnderTest;
import java.time.Duration;

class ConsulFaultsTest extends FaultsOn {
    ConsulFaultsTest() {
        super("consul", Duration.ofSeconds(2));
    }

    @Override
    StoreUnderTest startStore() {
        return ConsulStore.start();
    }
}
