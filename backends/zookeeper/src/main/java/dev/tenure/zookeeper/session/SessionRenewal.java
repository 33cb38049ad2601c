// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.session;

import dev.tenure.spi.RenewReply;
import dev.tenure.zookeeper.claim.LatchCandidacies;
import dev.tenure.zookeeper.claim.SessionContext;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import dev.tenure.zookeeper.client.ZooKeeperConnection;
import dev.tenure.zookeeper.client.ZooKeeperError;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * The renewals of one session, each one request. Loop-confined.
 *
 * <p>ZooKeeper's client keeps its session alive with pings of its own, but does not say when they were sent or answered, and
 * a follower answers them also while it is cut off from its leader. A renewal here is a transaction that changes nothing: it
 * checks that the era's znode is there. A quorum has to agree to it, so a leader that was deposed without knowing it cannot
 * acknowledge it. It also checks one of the latches that lead or are waited for, in turn. Their ends are notified; this check finds
 * a notification that was lost, which should never happen.
 */
final class SessionRenewal {
    static final String REMOVED = "the store's own records have been removed: what stands there now is another store";

    private static final double RECONNECT_AFTER_TTLS = 0.15;

    private final SessionContext context;
    private final ZooKeeperConnection connection;
    private final LatchCandidacies candidacies;
    private final RenewalHistory history;
    private final SessionTimeouts timeouts;
    private long unansweredSinceNanos;
    private int unanswered;

    SessionRenewal(SessionContext context, ZooKeeperConnection connection, LatchCandidacies candidacies) {
        this.context = context;
        this.connection = connection;
        this.candidacies = candidacies;
        this.history = new RenewalHistory(connection.begunNanos());
        this.timeouts = new SessionTimeouts(context.settings().tick());
    }

    /** @param lost called if the servers say that session or store are gone */
    CompletableFuture<RenewReply> renew(Consumer<String> lost) {
        reconnectIfUnanswered();
        long sentNanos = context.host().nanos();
        Optional<String> watched = candidacies.nextWatched();
        return check(watched)
                .whenComplete((done, failure) -> unanswered--)
                .thenCompose(done -> acknowledged(sentNanos))
                .exceptionallyCompose(failure -> refused(failure, sentNanos, watched, lost));
    }

    /** The client itself waits for two thirds of the session timeout before it tries another server, which is too long. */
    private void reconnectIfUnanswered() {
        long waitedNanos = context.host().nanos() - unansweredSinceNanos;
        if (unanswered > 0 && waitedNanos > context.granted().ttl().toNanos() * RECONNECT_AFTER_TTLS) {
            unansweredSinceNanos = context.host().nanos();
            connection.reconnect();
        }
    }

    private CompletableFuture<?> check(Optional<String> watched) {
        if (unanswered++ == 0) {
            unansweredSinceNanos = context.host().nanos();
        }
        List<Op> checks = Stream.concat(Stream.of(context.settings().paths().era()), watched.stream())
                .map(path -> Op.check(path, ZooKeeperCalls.ANY_VERSION))
                .toList();
        return context.calls().write(checks);
    }

    private CompletableFuture<RenewReply> acknowledged(long sentNanos) {
        return candidacies.watchesSet().thenApply(set -> renewed(sentNanos));
    }

    /** How long it is good for depends on when the last one was sent that is surely counted, see {@link SessionTimeouts}. */
    private RenewReply renewed(long sentNanos) {
        int timeoutMillis = connection.timeoutMillis();
        long relayNanos = timeouts.relayedWithin(timeoutMillis).toNanos();
        long gapNanos = history.acknowledged(sentNanos, context.host().nanos(), relayNanos);
        return new RenewReply.Renewed(timeouts.usable(timeoutMillis, Duration.ofNanos(gapNanos)));
    }

    private CompletableFuture<RenewReply> refused(
            Throwable failure, long sentNanos, Optional<String> watched, Consumer<String> lost) {
        boolean missing = ZooKeeperError.is(failure, Code.NONODE);
        if (missing
                && watched.filter(latch -> ZooKeeperError.isAbout(failure, latch))
                        .isPresent()) {
            candidacies.latchChanged(watched.orElseThrow(), EventType.NodeDeleted); // as it should have been notified
            return acknowledged(sentNanos); // refused, but by a quorum
        }
        if (missing) {
            lost.accept(REMOVED);
        } else if (ZooKeeperError.is(failure, Code.SESSIONEXPIRED)) {
            lost.accept("ZooKeeper has ended the session");
        }
        return context.isOver()
                ? CompletableFuture.completedFuture(new RenewReply.Gone("this session is over"))
                : CompletableFuture.failedFuture(failure);
    }

    /**
     * Which of the acknowledged renewals ZooKeeper's leader has surely counted: those that were acknowledged so long before
     * another one was sent that the follower had relayed them to the leader before it. See {@link SessionTimeouts}.
     * Loop-confined.
     */
    static final class RenewalHistory {
        private final Deque<Acknowledged> notCounted = new ArrayDeque<>();
        private long countedNanos;

        private record Acknowledged(long sentNanos, long nanos) {}

        /** @param openedNanos when the session was asked for: the leader itself counts from its creation */
        RenewalHistory(long openedNanos) {
            this.countedNanos = openedNanos;
        }

        /**
         * A renewal that was sent then is acknowledged now.
         *
         * @return how long before it the last one was sent that is surely counted
         */
        long acknowledged(long sentNanos, long nowNanos, long relayNanos) {
            while (!notCounted.isEmpty() && sentNanos - notCounted.getFirst().nanos - relayNanos >= 0) {
                countedNanos = Math.max(countedNanos, notCounted.removeFirst().sentNanos);
            }
            notCounted.addLast(new Acknowledged(sentNanos, nowNanos));
            return Math.max(0, sentNanos - countedNanos);
        }
    }
}
