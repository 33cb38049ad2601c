package dev.tenure.faults.fault;

import dev.tenure.faults.store.Primary;
import dev.tenure.faults.store.Reach;

/** All candidates lose their connections at once. Whoever leads should go on. */
public record EndConnections(Primary primary) implements Fault {
    @Override
    public String name() {
        return "end-connections";
    }

    @Override
    public Reach reach() {
        return Reach.STORE;
    }

    @Override
    public void strike(Scene scene) throws Exception {
        scene.strikes();
        primary.endConnections();
        scene.awaitLeaderInTouch();
    }
}
