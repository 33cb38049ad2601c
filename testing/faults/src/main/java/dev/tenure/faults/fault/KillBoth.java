package dev.tenure.faults.fault;

import dev.tenure.faults.ledger.Belief;
import dev.tenure.faults.store.Reach;
import dev.tenure.faults.store.Servers;

/** kill -9 of the process that leads and of the server that leads, at once: the next one counts the lease anew. */
public record KillBoth(Servers servers) implements Fault {
    @Override
    public String name() {
        return "kill-both-leaders";
    }

    @Override
    public Reach reach() {
        return Reach.SERVER;
    }

    @Override
    public void strike(Scene scene) throws Exception {
        Belief leader = scene.leader();
        int struck = servers.leader();
        scene.strikes();
        scene.kill(leader);
        servers.kill(struck);
        scene.awaitSuccessor(leader);
        servers.start(struck);
        scene.bringBack(leader);
        servers.awaitReady();
    }
}
