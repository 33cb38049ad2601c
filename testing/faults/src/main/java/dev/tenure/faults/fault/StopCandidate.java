// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.fault;

import dev.tenure.faults.ledger.TermBelief;
import dev.tenure.faults.store.FaultScope;

/** SIGSTOP of the process that leads, in the middle of writing; it wakes when another one has begun to write. */
public record StopCandidate() implements InjectedFault {
    @Override
    public String name() {
        return "stop-candidate";
    }

    @Override
    public FaultScope scope() {
        return FaultScope.CANDIDATE;
    }

    @Override
    public void inject(FaultContext context) throws Exception {
        TermBelief leader = context.leader();
        context.faultBegins();
        context.process(leader).stop();
        try {
            context.awaitSuccessor(leader);
        } finally {
            context.process(leader).goOn();
        }
    }
}
