package dev.tenure.zookeeper;

import dev.tenure.spi.RenewReply;
import dev.tenure.zookeeper.wire.Code;
import dev.tenure.zookeeper.wire.Op;
import dev.tenure.zookeeper.wire.OpResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The renewals of one session, each one request. Loop-confined.
 *
 * <p>ZooKeeper's client keeps its session alive with pings of its own, but does not tell when they were sent or answered, and
 * a follower answers them also while it is cut off from its leader. A renewal here is a transaction that changes nothing: it
 * checks the version of the era's znode. A quorum has to agree to it, so whoever acknowledges it is not a leader that was
 * deposed without knowing; and an era that was raised is noticed by the next heartbeat at the latest. It also checks one of
 * the latches that lead, in turn: their ends are notified, this is for what never should happen.
 */
final class Heartbeat {
    private static final double TURN_AFTER_TTLS = 0.15;
    private static final int ANY_VERSION = -1;

    private final SessionScene scene;
    private final Stands stands;
    private final Consumer<String> lost;
    private final SignsOfLife signs;
    private long unansweredSinceNanos;
    private int unanswered;

    /** @param lost told if the servers say that session or store are gone */
    Heartbeat(SessionScene scene, Stands stands, SignsOfLife signs, Consumer<String> lost) {
        this.scene = scene;
        this.stands = stands;
        this.signs = signs;
        this.lost = lost;
    }

    CompletableFuture<RenewReply> beat() {
        turnIfDeaf();
        long sentNanos = scene.host().nanos();
        Optional<Stands.Led> led = stands.nextLed();
        return check(led)
                .whenComplete((done, failure) -> unanswered--)
                .thenCompose(done -> acknowledged(sentNanos))
                .exceptionallyCompose(failure -> onRefused(failure, sentNanos, led));
    }

    /** The client itself waits for two thirds of the timeout before it tries another server, which is too long. */
    private void turnIfDeaf() {
        long waitedNanos = scene.host().nanos() - unansweredSinceNanos;
        if (unanswered > 0 && waitedNanos > scene.ttl().toNanos() * TURN_AFTER_TTLS) {
            unansweredSinceNanos = scene.host().nanos();
            scene.connection().turnToAnother();
        }
    }

    private CompletableFuture<List<OpResult>> check(Optional<Stands.Led> led) {
        if (unanswered++ == 0) {
            unansweredSinceNanos = scene.host().nanos();
        }
        String era = scene.settings().layout().era();
        List<Op> checks = new ArrayList<>();
        checks.add(Op.check(era, scene.era().version()));
        led.ifPresent(stand -> checks.add(Op.check(stand.latch(), ANY_VERSION)));
        return scene.calls().writeTogether(era, checks);
    }

    private CompletableFuture<RenewReply> acknowledged(long sentNanos) {
        return scene.traffic().vigils().begun().thenApply(begun -> renewed(sentNanos));
    }

    /** How long it is good for depends on when the last one was sent that is surely counted, see {@link Lifetimes}. */
    private RenewReply renewed(long sentNanos) {
        long handedOnNanos = scene.handedOnWithin().toNanos();
        long gapNanos = signs.acknowledged(sentNanos, scene.host().nanos(), handedOnNanos);
        return new RenewReply.Renewed(scene.ttlAfter(Duration.ofNanos(gapNanos)));
    }

    private CompletableFuture<RenewReply> onRefused(Throwable failure, long sentNanos, Optional<Stands.Led> led) {
        if (StoreFailure.is(failure, Code.BADVERSION)) {
            return scene.era().changed().thenCompose(era -> acknowledged(sentNanos)); // refused, but by a quorum
        }
        Optional<Stands.Led> missed = led.filter(
                stand -> StoreFailure.is(failure, Code.NONODE) && StoreFailure.isAbout(failure, stand.latch()));
        if (missed.isPresent()) {
            missed.get().stand().missed(missed.get().latch());
            return acknowledged(sentNanos); // likewise
        }
        if (StoreFailure.is(failure, Code.NONODE)) {
            lost.accept("the store's own records have been removed: what stands there now is another store");
        } else if (StoreFailure.is(failure, Code.SESSIONEXPIRED)) {
            lost.accept("ZooKeeper has ended the session");
        }
        return scene.isOver()
                ? CompletableFuture.completedFuture(new RenewReply.Gone("this session is over"))
                : CompletableFuture.failedFuture(failure);
    }
}
