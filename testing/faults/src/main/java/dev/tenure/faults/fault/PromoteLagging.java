// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.fault;

import dev.tenure.faults.ledger.TermBelief;
import dev.tenure.faults.store.FaultScope;
import dev.tenure.faults.store.Standby;
import java.time.Duration;

/**
 * The primary is lost, and the standby that takes over has never heard of the last term. Its holder may believe in it up to the
 * deadline that it had; its token must not come back in another hand.
 *
 * @param clockAhead of the standby's clock; tokens are taken from it
 */
public record PromoteLagging(String name, Standby standby, Duration clockAhead) implements InjectedFault {
    @Override
    public FaultScope scope() {
        return FaultScope.STORE;
    }

    @Override
    public void inject(FaultContext context) throws Exception {
        TermBelief before = context.leader();
        standby.cutOff();
        context.kill(before);
        context.awaitSuccessor(before);
        context.restart(before);
        TermBelief lost = context.leader();

        context.faultBegins();
        context.breach(() -> standby.promote(clockAhead));
        context.awaitSuccessor(lost);
        context.awaitDisbelief(lost);

        context.breach(() -> {
            standby.repair();
            ClockForward.awaitRenewals(context);
        });
        context.awaitLeaderInTouch();
    }
}
