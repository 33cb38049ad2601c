package dev.tenure.contract;

import dev.tenure.spi.BackendTraits.ExpiryJudge;
import dev.tenure.spi.BackendTraits.Wakeup;

class ServerTimeBackendContractTest extends MemoryBackendContract {
    ServerTimeBackendContractTest() {
        super(ExpiryJudge.SERVER_TIME, Wakeup.WATCH);
    }
}
