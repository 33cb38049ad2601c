package dev.tenure.contract;

import dev.tenure.spi.BackendTraits.ExpiryJudge;
import dev.tenure.spi.BackendTraits.Wakeup;

class ServerTimeStoreContractTest extends MemoryLeaseStoreContract {
    ServerTimeStoreContractTest() {
        super(ExpiryJudge.SERVER_TIME, Wakeup.WATCH);
    }
}
