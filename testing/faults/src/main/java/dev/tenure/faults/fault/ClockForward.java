// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.fault;

import dev.tenure.faults.store.FaultScope;
import dev.tenure.faults.store.WallClock;
import java.time.Duration;

/** By the store's clock all leases have just run out. The leader may have time to renew, or not; tokens are from the future. */
public record ClockForward(WallClock clock) implements InjectedFault {
    @Override
    public String name() {
        return "clock-forward";
    }

    @Override
    public FaultScope scope() {
        return FaultScope.STORE;
    }

    @Override
    public void inject(FaultContext context) throws Exception {
        context.faultBegins();
        context.clockGoesAhead();
        try {
            context.breach(() -> {
                clock.move(Duration.ofHours(1));
                awaitRenewals(context);
            });
            context.awaitLeaderInTouch();
        } finally {
            clock.move(Duration.ZERO);
        }
        context.awaitLeaderInTouch();
    }

    /**
     * A clock that goes forward ends all leases that were granted before, also those of candidates that are elected a moment
     * later. Its word is broken until each of them was renewed, which happens every quarter of a TTL.
     */
    static void awaitRenewals(FaultContext context) throws InterruptedException {
        context.letPass(context.ttl().dividedBy(2));
    }
}
