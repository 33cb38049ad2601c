package dev.tenure.faults.fault;

import dev.tenure.faults.store.Primary;
import dev.tenure.faults.store.Reach;

/** SIGSTOP of the only server, for longer than a term lasts without a renewal; what was sent to it meanwhile arrives then. */
public record FreezePrimary(Primary primary) implements Fault {
    @Override
    public String name() {
        return "freeze-server";
    }

    @Override
    public Reach reach() {
        return Reach.STORE;
    }

    @Override
    public void strike(Scene scene) throws Exception {
        primary.stop();
        try {
            scene.letPass(scene.ttl().plus(scene.ttl().dividedBy(4)));
        } finally {
            primary.goOn();
        }
        scene.strikes();
    }
}
