// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.spi.BackendTraits.ExpiryDetection;
import dev.tenure.spi.BackendTraits.Wakeup;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class ObserverBackendContractTest extends MemoryBackendContract {
    ObserverBackendContractTest() {
        super(ExpiryDetection.OBSERVER, Wakeup.POLL);
    }
}
