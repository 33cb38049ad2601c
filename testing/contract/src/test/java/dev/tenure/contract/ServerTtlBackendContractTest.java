package dev.tenure.contract;

import dev.tenure.spi.BackendTraits.ExpiryJudge;
import dev.tenure.spi.BackendTraits.Wakeup;

class ServerTtlBackendContractTest extends MemoryBackendContract {
    ServerTtlBackendContractTest() {
        super(ExpiryJudge.SERVER_TTL, Wakeup.WATCH);
    }
}
