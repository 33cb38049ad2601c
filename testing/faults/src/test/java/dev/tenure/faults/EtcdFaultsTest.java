// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults;

import dev.tenure.faults.keyvalue.EtcdStore;
import dev.tenure.faults.store.StoreUnderTest;
import java.time.Duration;

class EtcdFaultsTest extends FaultsOn {
    EtcdFaultsTest() {
        super("etcd", Duration.ofSeconds(2));
    }

    @Override
    StoreUnderTest startStore() {
        return EtcdStore.start();
    }
}
