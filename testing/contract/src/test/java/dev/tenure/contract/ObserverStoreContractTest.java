package dev.tenure.contract;

import dev.tenure.spi.BackendTraits.ExpiryJudge;
import dev.tenure.spi.BackendTraits.Wakeup;

class ObserverStoreContractTest extends MemoryLeaseStoreContract {
    ObserverStoreContractTest() {
        super(ExpiryJudge.OBSERVER, Wakeup.POLL);
    }
}
