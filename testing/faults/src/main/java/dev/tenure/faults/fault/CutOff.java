// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.fault;

import dev.tenure.faults.ledger.TermBelief;
import dev.tenure.faults.network.Links;
import dev.tenure.faults.store.FaultScope;
import dev.tenure.support.NetworkConditions;
import java.time.Duration;
import java.util.function.Function;

/**
 * The process that leads is cut off from all servers, until another one leads. Then what was on its way arrives late, or is
 * lost: both happen, by chance.
 *
 * @param conditions by the TTL
 */
public record CutOff(String name, FaultScope scope, Function<Duration, NetworkConditions> conditions)
        implements InjectedFault {
    @Override
    public void inject(FaultContext context) throws Exception {
        TermBelief leader = context.leader();
        Links links = context.links(leader);
        context.faultBegins();
        links.become(conditions.apply(context.ttl()));
        try {
            context.awaitSuccessor(leader);
        } finally {
            if (context.tossesACoin()) {
                links.reset();
            }
            links.become(NetworkConditions.NORMAL);
        }
    }
}
