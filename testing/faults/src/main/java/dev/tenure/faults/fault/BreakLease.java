package dev.tenure.faults.fault;

import dev.tenure.faults.ledger.Belief;
import dev.tenure.faults.network.Links;
import dev.tenure.faults.store.Reach;
import dev.tenure.faults.store.Records;
import dev.tenure.support.NetworkConditions;

/**
 * The store is made to take back what it had granted. Whoever led may believe in it up to the deadline that it had; no write
 * of its own gets in once its successor has raised the fence.
 *
 * @param conditions at the one that leads, meanwhile: it hears of it, or it does not
 */
public record BreakLease(String name, Records records, How how, NetworkConditions conditions) implements Fault {
    /** What an operator does to them. */
    public interface How {
        void to(Records records) throws Exception;
    }

    @Override
    public Reach reach() {
        return Reach.RECORDS;
    }

    @Override
    public void strike(Scene scene) throws Exception {
        Belief leader = scene.leader();
        Links links = scene.links(leader);
        links.become(conditions);
        try {
            scene.strikes();
            scene.breach(() -> how.to(records));
            scene.awaitSuccessor(leader);
            scene.awaitDisbelief(leader);
        } finally {
            links.become(NetworkConditions.NORMAL);
        }
    }
}
