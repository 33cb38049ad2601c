package dev.tenure.contract;

import dev.tenure.spi.BackendTraits.ExpiryJudge;
import dev.tenure.spi.BackendTraits.Wakeup;

class ServerTtlStoreContractTest extends MemoryLeaseStoreContract {
    ServerTtlStoreContractTest() {
        super(ExpiryJudge.SERVER_TTL, Wakeup.WATCH);
    }
}
