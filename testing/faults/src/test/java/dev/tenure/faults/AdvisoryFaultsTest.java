// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults;

import dev.tenure.faults.sql.AdvisoryStore;
import dev.tenure.faults.store.StoreUnderTest;
import java.time.Duration;

class AdvisoryFaultsTest extends FaultsOn {
    AdvisoryFaultsTest() {
        super("postgres-advisory", Duration.ofSeconds(1));
    }

    @Override
    StoreUnderTest startStore() {
        return AdvisoryStore.running();
    }
}
