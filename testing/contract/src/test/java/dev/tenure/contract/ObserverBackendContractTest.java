package dev.tenure.contract;

import dev.tenure.spi.BackendTraits.ExpiryJudge;
import dev.tenure.spi.BackendTraits.Wakeup;

class ObserverBackendContractTest extends MemoryBackendContract {
    ObserverBackendContractTest() {
        super(ExpiryJudge.OBSERVER, Wakeup.POLL);
    }
}
