package dev.tenure.faults.fault;

import dev.tenure.faults.ledger.Belief;
import dev.tenure.faults.store.Reach;

/** SIGSTOP of the process that leads, in the middle of writing; it wakes when another one has begun to write. */
public record StopCandidate() implements Fault {
    @Override
    public String name() {
        return "stop-candidate";
    }

    @Override
    public Reach reach() {
        return Reach.CANDIDATE;
    }

    @Override
    public void strike(Scene scene) throws Exception {
        Belief leader = scene.leader();
        scene.strikes();
        scene.process(leader).stop();
        try {
            scene.awaitSuccessor(leader);
        } finally {
            scene.process(leader).goOn();
        }
    }
}
