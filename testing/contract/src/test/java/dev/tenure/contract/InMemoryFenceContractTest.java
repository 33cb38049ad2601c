// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.Fence;
import dev.tenure.Term;
import dev.tenure.testing.InMemoryFence;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** The fence that users test with keeps what real ones keep. */
class InMemoryFenceContractTest extends FenceContract {
    private final Map<String, Ledger> ledgers = new HashMap<>();

    @Override
    protected GuardedResource open(String resource) {
        return ledgers.computeIfAbsent(resource, Ledger::new);
    }

    private static final class Ledger implements GuardedResource {
        private final InMemoryFence fence;
        private final List<String> accepted = new CopyOnWriteArrayList<>();

        Ledger(String resource) {
            this.fence = new InMemoryFence(resource);
        }

        @Override
        public Fence fence() {
            return fence;
        }

        @Override
        public void write(Term term, String value) throws Exception {
            fence.write(term, () -> accepted.add(value));
        }

        @Override
        public List<String> accepted() {
            return List.copyOf(accepted);
        }
    }
}
