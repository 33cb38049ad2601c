// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.spi.BackendTraits.ExpiryDetection;
import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreBinding;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The kit on elections over a store in memory. */
@Execution(ExecutionMode.CONCURRENT)
abstract class MemoryBackendContract extends BackendContract {
    private final Map<String, MemoryStore.Space> spaces = new HashMap<>();
    private final ExpiryDetection judge;
    private final Wakeup wakeup;

    MemoryBackendContract(ExpiryDetection judge, Wakeup wakeup) {
        this.judge = judge;
        this.wakeup = wakeup;
    }

    MemoryStore.Space fresh() {
        return new MemoryStore.Space(judge, wakeup);
    }

    MemoryStore client(MemoryStore.Space space, Host host) {
        return new MemoryStore(space, host);
    }

    @Override
    protected StoreBinding connect(String namespace, Host host) {
        return client(spaces.computeIfAbsent(namespace, any -> fresh()), host);
    }
}
