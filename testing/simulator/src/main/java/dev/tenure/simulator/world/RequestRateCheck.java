// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.world;

import java.util.HashMap;
import java.util.Map;

/** L8: at most ten requests a second per process and election with a TTL of ten seconds, over any longer time. */
final class RequestRateCheck {
    private static final long REQUESTS_PER_SECOND_MAX = 10;
    private static final long BURST_MAX = 100;
    private static final long USUAL_TTL_MILLIS = 10_000;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final SimulatedWorld world;
    private final Map<Integer, Long> before = new HashMap<>();
    private long sinceNanos;

    RequestRateCheck(SimulatedWorld world) {
        this.world = world;
    }

    void begin() {
        sinceNanos = world.time().nanos();
        before.clear();
        for (SimulatedProcess process : world.running()) {
            before.put(process.fact().number, process.link().requests());
            check(process, process.link().requests(), world.time().nanos() - process.bornNanos());
        }
    }

    void check() {
        for (SimulatedProcess process : world.running()) {
            long requests = process.link().requests() - before.getOrDefault(process.fact().number, 0L);
            check(process, requests, world.time().nanos() - sinceNanos);
        }
    }

    private void check(SimulatedProcess process, long requests, long nanos) {
        // In one division: halves of a TTL that were cut off here made the bound a third too small at 12 s.
        long perSecond =
                REQUESTS_PER_SECOND_MAX * (1 + world.plan().elections) * USUAL_TTL_MILLIS / (2 * process.ttlMillis());
        long allowed = BURST_MAX + Math.max(REQUESTS_PER_SECOND_MAX, perSecond) * (nanos / NANOS_PER_SECOND + 1);
        if (requests > allowed && !world.isOver()) {
            world.truth()
                    .violated("L8", process.fact() + " made " + requests + " requests in " + nanos / 1_000_000 + " ms");
        }
    }
}
