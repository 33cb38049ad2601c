// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime.term;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.internal.engine.Authority;
import java.lang.management.ManagementFactory;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What is asked in every round of a busy loop must not feed the collector. */
class AllocationTest {
    private static final int CALLS = 1_000_000;
    /** What the measurement itself and a compilation in between may cost. */
    private static final long TOLERATED_BYTES = 100_000;

    private final LeadershipHandle leadership = new LeadershipHandle(
            new Term(ElectionName.of("e"), new FencingToken(42), new Nonce(1, 1), "node"),
            new SharedAuthority(
                    new StillHost(),
                    new Authority(StillHost.NANOS + 1_000_000, StillHost.NANOS, StillHost.WALL, 1000, false)),
            new StillHost(),
            RecordingOwner.SILENT);

    private static long bytesOf(BooleanSupplier question) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assumeTrue(threads.isThreadAllocatedMemorySupported());
        long id = Thread.currentThread().getId();
        int yes = 0;
        for (int i = 0; i < 10_000; i++) {
            yes += question.getAsBoolean() ? 1 : 0;
        }
        long before = threads.getThreadAllocatedBytes(id);
        for (int i = 0; i < CALLS; i++) {
            yes += question.getAsBoolean() ? 1 : 0;
        }
        long bytes = threads.getThreadAllocatedBytes(id) - before;
        assertThat(yes).isEqualTo(CALLS + 10_000);
        return bytes;
    }

    @Test
    void asking_whether_a_term_is_valid_allocates_nothing() {
        assertThat(bytesOf(leadership::isValid)).isLessThan(TOLERATED_BYTES);
        assertThat(bytesOf(leadership::isActive)).isLessThan(TOLERATED_BYTES);
    }

    @Test
    void the_measurement_sees_an_allocation() {
        Object[] last = new Object[1];

        long bytes = bytesOf(() -> {
            last[0] = new long[1];
            return last[0] != null;
        });

        assertThat(bytes).isGreaterThan(CALLS * 8L);
    }
}
