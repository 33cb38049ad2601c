// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.fault;

import dev.tenure.faults.ledger.TermBelief;
import dev.tenure.faults.store.FaultScope;

/** kill -9 of the process that leads; it comes back when another one does. */
public record KillCandidate() implements InjectedFault {
    @Override
    public String name() {
        return "kill-candidate";
    }

    @Override
    public FaultScope scope() {
        return FaultScope.CANDIDATE;
    }

    @Override
    public void inject(FaultContext context) throws Exception {
        TermBelief leader = context.leader();
        context.faultBegins();
        context.kill(leader);
        context.awaitSuccessor(leader);
        context.restart(leader);
    }
}
