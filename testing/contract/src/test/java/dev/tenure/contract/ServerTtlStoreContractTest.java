// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.spi.BackendTraits.ExpiryDetection;
import dev.tenure.spi.BackendTraits.Wakeup;

class ServerTtlStoreContractTest extends MemoryLeaseStoreContract {
    ServerTtlStoreContractTest() {
        super(ExpiryDetection.SERVER_TTL, Wakeup.WATCH);
    }
}
