package dev.tenure.faults.fault;

import dev.tenure.faults.ledger.Belief;
import dev.tenure.faults.store.Reach;
import dev.tenure.faults.store.Standby;
import java.time.Duration;

/**
 * The primary is lost, and the standby that takes over has never heard of the last term. Its holder may believe in it up to the
 * deadline that it had; its token must not come back in another hand.
 *
 * @param clockAhead of the standby's clock; tokens are taken from it
 */
public record PromoteLagging(String name, Standby standby, Duration clockAhead) implements Fault {
    @Override
    public Reach reach() {
        return Reach.STORE;
    }

    @Override
    public void strike(Scene scene) throws Exception {
        Belief before = scene.leader();
        standby.cutOff();
        scene.kill(before);
        scene.awaitSuccessor(before);
        scene.bringBack(before);
        Belief lost = scene.leader();

        scene.strikes();
        scene.breach(() -> standby.promote(clockAhead));
        scene.awaitSuccessor(lost);
        scene.awaitDisbelief(lost);

        scene.breach(() -> {
            standby.repair();
            ClockForward.awaitRenewals(scene);
        });
        scene.awaitLeaderInTouch();
    }
}
