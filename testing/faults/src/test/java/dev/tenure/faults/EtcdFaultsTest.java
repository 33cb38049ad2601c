package dev.tenure.faults;

import dev.tenure.faults.store.EtcdStore;
import dev.tenure.faults.store.StoreUnderTest;

class EtcdFaultsTest extends FaultsOn {
    EtcdFaultsTest() {
        super("etcd");
    }

    @Override
    StoreUnderTest startStore() {
        return EtcdStore.start();
    }
}
