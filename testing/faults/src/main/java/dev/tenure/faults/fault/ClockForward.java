package dev.tenure.faults.fault;

import dev.tenure.faults.store.Reach;
import dev.tenure.faults.store.WallClock;
import java.time.Duration;

/** By the store's clock all leases have just run out. The leader may have time to renew, or not; tokens are from the future. */
public record ClockForward(WallClock clock) implements Fault {
    @Override
    public String name() {
        return "clock-forward";
    }

    @Override
    public Reach reach() {
        return Reach.STORE;
    }

    @Override
    public void strike(Scene scene) throws Exception {
        scene.strikes();
        scene.clockGoesAhead();
        try {
            scene.breach(() -> {
                clock.move(Duration.ofHours(1));
                awaitRenewals(scene);
            });
            scene.awaitLeaderInTouch();
        } finally {
            clock.move(Duration.ZERO);
        }
        scene.awaitLeaderInTouch();
    }

    /**
     * A clock that goes forward ends all leases that were granted before, also those of candidates that are elected a moment
     * later. Its word is broken until each of them was renewed, which happens every quarter of a TTL.
     */
    static void awaitRenewals(Scene scene) throws InterruptedException {
        scene.letPass(scene.ttl().dividedBy(2));
    }
}
