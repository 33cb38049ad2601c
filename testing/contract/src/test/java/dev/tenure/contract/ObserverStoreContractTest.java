// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.spi.BackendTraits.ExpiryDetection;
import dev.tenure.spi.BackendTraits.Wakeup;

class ObserverStoreContractTest extends MemoryLeaseStoreContract {
    ObserverStoreContractTest() {
        super(ExpiryDetection.OBSERVER, Wakeup.POLL);
    }
}
