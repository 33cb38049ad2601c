// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults;

import dev.tenure.faults.sql.PostgresStore;
import dev.tenure.faults.store.StoreUnderTest;
import java.time.Duration;

class PostgresFaultsTest extends FaultsOn {
    PostgresFaultsTest() {
        super("postgres", Duration.ofSeconds(1));
    }

    @Override
    StoreUnderTest startStore() {
        return PostgresStore.running();
    }
}
