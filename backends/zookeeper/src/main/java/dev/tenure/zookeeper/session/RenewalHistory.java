package dev.tenure.zookeeper.session;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Which of the acknowledged renewals ZooKeeper's leader has surely counted: those that were acknowledged so long before
 * another one was sent that the follower had relayed them to the leader before it. See {@link SessionTimeouts}.
 * Loop-confined.
 */
final class RenewalHistory {
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
