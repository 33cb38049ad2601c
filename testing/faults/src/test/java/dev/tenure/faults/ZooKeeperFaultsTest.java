// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults;

import dev.tenure.faults.keyvalue.ZooKeeperStore;
import dev.tenure.faults.store.StoreUnderTest;
import java.time.Duration;

class ZooKeeperFaultsTest extends FaultsOn {
    ZooKeeperFaultsTest() {
        super("zookeeper", Duration.ofSeconds(2));
    }

    @Override
    StoreUnderTest startStore() throws Exception {
        return ZooKeeperStore.start();
    }
}
