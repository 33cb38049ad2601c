package dev.tenure.faults.fault;

import dev.tenure.faults.ledger.Belief;
import dev.tenure.faults.store.Reach;

/** kill -9 of the process that leads; it comes back when another one does. */
public record KillCandidate() implements Fault {
    @Override
    public String name() {
        return "kill-candidate";
    }

    @Override
    public Reach reach() {
        return Reach.CANDIDATE;
    }

    @Override
    public void strike(Scene scene) throws Exception {
        Belief leader = scene.leader();
        scene.strikes();
        scene.kill(leader);
        scene.awaitSuccessor(leader);
        scene.bringBack(leader);
    }
}
