package dev.tenure.faults;

import dev.tenure.faults.store.StoreUnderTest;
import dev.tenure.faults.store.ZooKeeperStore;

class ZooKeeperFaultsTest extends FaultsOn {
    ZooKeeperFaultsTest() {
        super("zookeeper");
    }

    @Override
    StoreUnderTest startStore() throws Exception {
        return ZooKeeperStore.start();
    }
}
