// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.trace;

import java.util.EnumMap;
import java.util.Map;

/** How often each kind of fault was injected. */
public final class FaultCounts {
    private final long[] counts = new long[FaultKind.values().length];

    public void add(FaultKind fault) {
        counts[fault.ordinal()]++;
    }

    public void addAll(FaultCounts others) {
        for (int i = 0; i < counts.length; i++) {
            counts[i] += others.counts[i];
        }
    }

    public long of(FaultKind fault) {
        return counts[fault.ordinal()];
    }

    public long total() {
        long total = 0;
        for (long count : counts) {
            total += count;
        }
        return total;
    }

    /** In the order of the kinds. */
    public Map<FaultKind, Long> all() {
        Map<FaultKind, Long> all = new EnumMap<>(FaultKind.class);
        for (FaultKind fault : FaultKind.values()) {
            all.put(fault, of(fault));
        }
        return all;
    }
}
