package dev.tenure.zookeeper;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Which of the acknowledged renewals ZooKeeper's leader has surely counted: those that were acknowledged so long before
 * another one was sent that the follower had handed them on, on the same wire, before it. See {@link Lifetimes}.
 * Loop-confined.
 */
final class SignsOfLife {
    private final Deque<Acknowledged> onTheWay = new ArrayDeque<>();
    private long countedNanos;

    private record Acknowledged(long sentNanos, long nanos) {}

    /** @param openedNanos when the opening was sent, which the leader counts itself */
    SignsOfLife(long openedNanos) {
        this.countedNanos = openedNanos;
    }

    /**
     * A renewal that was sent then is acknowledged now.
     *
     * @return how long before it the last one was sent that is surely counted
     */
    long acknowledged(long sentNanos, long nowNanos, long handedOnNanos) {
        while (!onTheWay.isEmpty() && sentNanos - onTheWay.getFirst().nanos - handedOnNanos >= 0) {
            countedNanos = Math.max(countedNanos, onTheWay.removeFirst().sentNanos);
        }
        onTheWay.addLast(new Acknowledged(sentNanos, nowNanos));
        return Math.max(0, sentNanos - countedNanos);
    }
}
