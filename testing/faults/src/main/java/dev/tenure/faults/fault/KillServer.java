package dev.tenure.faults.fault;

import dev.tenure.faults.store.Reach;
import dev.tenure.faults.store.Servers;

/** kill -9 of one server; it comes back when somebody leads without it. */
public record KillServer(Servers servers, Which which) implements Fault {
    @Override
    public String name() {
        return "kill-" + which.name();
    }

    @Override
    public Reach reach() {
        return Reach.SERVER;
    }

    @Override
    public void strike(Scene scene) throws Exception {
        int struck = which.of(servers);
        scene.strikes();
        servers.kill(struck);
        scene.awaitLeaderInTouch();
        servers.start(struck);
        servers.awaitReady();
    }
}
