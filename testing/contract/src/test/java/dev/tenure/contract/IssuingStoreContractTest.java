// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.spi.BackendTraits.ExpiryDetection;
import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.Host;

class IssuingStoreContractTest extends MemoryLeaseStoreContract {
    IssuingStoreContractTest() {
        super(ExpiryDetection.OBSERVER, Wakeup.WATCH);
    }

    @Override
    MemoryStore client(MemoryStore.Space space, Host host) {
        return new IssuingStore(space, host);
    }
}
