// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.fault;

import dev.tenure.faults.ledger.TermBelief;
import dev.tenure.faults.store.FaultScope;
import dev.tenure.faults.store.Servers;

/** kill -9 of the process that leads and of the server that leads, at once: the next one counts the lease anew. */
public record KillBoth(Servers servers) implements InjectedFault {
    @Override
    public String name() {
        return "kill-both-leaders";
    }

    @Override
    public FaultScope scope() {
        return FaultScope.SERVER;
    }

    @Override
    public void inject(FaultContext context) throws Exception {
        TermBelief leader = context.leader();
        int struck = servers.leader();
        context.faultBegins();
        context.kill(leader);
        servers.kill(struck);
        context.awaitSuccessor(leader);
        servers.start(struck);
        context.restart(leader);
        servers.awaitReady();
    }
}
