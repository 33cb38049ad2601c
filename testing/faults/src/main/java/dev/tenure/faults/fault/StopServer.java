package dev.tenure.faults.fault;

import dev.tenure.faults.store.Reach;
import dev.tenure.faults.store.Servers;

/** SIGSTOP of one server, for longer than a term lasts without a renewal; it goes on when somebody leads without it. */
public record StopServer(Servers servers, Which which) implements Fault {
    @Override
    public String name() {
        return "stop-" + which.name();
    }

    @Override
    public Reach reach() {
        return Reach.SERVER;
    }

    @Override
    public void strike(Scene scene) throws Exception {
        int struck = which.of(servers);
        scene.strikes();
        servers.stop(struck);
        try {
            scene.letPass(scene.ttl().plus(scene.ttl().dividedBy(4)));
            scene.awaitLeaderInTouch();
        } finally {
            servers.goOn(struck);
        }
        servers.awaitReady();
    }
}
