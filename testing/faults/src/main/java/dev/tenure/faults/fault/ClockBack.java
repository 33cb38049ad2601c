package dev.tenure.faults.fault;

import dev.tenure.faults.ledger.Belief;
import dev.tenure.faults.store.Reach;
import dev.tenure.faults.store.WallClock;
import java.time.Duration;

/** The process that leads is stopped, and by the store's clock its lease now lasts for an hour. Nobody waits for that long. */
public record ClockBack(WallClock clock) implements Fault {
    @Override
    public String name() {
        return "clock-back";
    }

    @Override
    public Reach reach() {
        return Reach.STORE;
    }

    @Override
    public void strike(Scene scene) throws Exception {
        Belief leader = scene.leader();
        scene.process(leader).stop();
        try {
            clock.move(Duration.ofHours(-1));
            scene.strikes();
            scene.awaitSuccessor(leader);
        } finally {
            scene.process(leader).goOn();
            scene.breach(() -> {
                clock.move(Duration.ZERO);
                ClockForward.awaitRenewals(scene);
            });
        }
        scene.awaitLeaderInTouch();
    }
}
