// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.fault;

import dev.tenure.faults.ledger.TermBelief;
import dev.tenure.faults.store.FaultScope;
import dev.tenure.faults.store.WallClock;
import java.time.Duration;

/** The process that leads is stopped, and by the store's clock its lease now lasts for an hour. Nobody waits for that long. */
public record ClockBack(WallClock clock) implements InjectedFault {
    @Override
    public String name() {
        return "clock-back";
    }

    @Override
    public FaultScope scope() {
        return FaultScope.STORE;
    }

    @Override
    public void inject(FaultContext context) throws Exception {
        TermBelief leader = context.leader();
        context.process(leader).stop();
        try {
            clock.move(Duration.ofHours(-1));
            context.faultBegins();
            context.awaitSuccessor(leader);
        } finally {
            context.process(leader).goOn();
            context.breach(() -> {
                clock.move(Duration.ZERO);
                ClockForward.awaitRenewals(context);
            });
        }
        context.awaitLeaderInTouch();
    }
}
