// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.fault;

import dev.tenure.faults.ledger.TermBelief;
import dev.tenure.faults.network.Links;
import dev.tenure.faults.store.FaultScope;
import dev.tenure.faults.store.Records;
import dev.tenure.support.NetworkConditions;

/**
 * The store is made to take back what it had granted. The candidate that led may believe in it up to the deadline that it had;
 * no write of its own gets in once its successor has raised the fence.
 *
 * @param conditions at the one that leads, meanwhile: it learns of it, or it does not
 */
public record BreakLease(String name, Records records, How how, NetworkConditions conditions) implements InjectedFault {
    /** What an operator does to them. */
    public interface How {
        void to(Records records) throws Exception;
    }

    @Override
    public FaultScope scope() {
        return FaultScope.RECORDS;
    }

    @Override
    public void inject(FaultContext context) throws Exception {
        TermBelief leader = context.leader();
        Links links = context.links(leader);
        links.become(conditions);
        try {
            context.faultBegins();
            context.breach(() -> how.to(records));
            context.awaitSuccessor(leader);
            context.awaitDisbelief(leader);
        } finally {
            links.become(NetworkConditions.NORMAL);
        }
    }
}
