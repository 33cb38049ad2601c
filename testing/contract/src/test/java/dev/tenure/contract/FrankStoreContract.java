package dev.tenure.contract;

import dev.tenure.spi.BackendTraits.ExpiryJudge;
import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.Host;

/** The kit on a store in memory that tells words and shows others beside a write. */
abstract class FrankStoreContract extends MemoryLeaseStoreContract {
    FrankStoreContract() {
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
