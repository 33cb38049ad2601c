package dev.tenure.contract;

import dev.tenure.spi.BackendTraits.ExpiryJudge;
import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.Host;

/** Elections that go by words, and by what is shown beside a claim. */
class FrankBackendContractTest extends MemoryBackendContract {
    FrankBackendContractTest() {
        super(ExpiryJudge.SERVER_TIME, Wakeup.WATCH);
    }

    @Override
    MemoryStore.Space fresh() {
        return new FrankStore.Space();
    }

    @Override
    MemoryStore client(MemoryStore.Space space, Host host) {
        return new FrankStore(space, host);
    }
}
