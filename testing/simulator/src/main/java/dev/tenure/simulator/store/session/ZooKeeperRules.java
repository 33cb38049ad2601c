// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store.session;

import java.time.Duration;

/**
 * ZooKeeper, as our backend uses it. The timeout of a session is negotiated between two and twenty ticks. Only the leader of
 * the ensemble judges sessions, in buckets of a tick, and it hears of those who talk to a follower only with the answer to
 * its next ping, every half tick. What was not handed on by then is lost with the follower; so a holder relies on less than
 * the timeout. A new leader gives every session its full timeout again. Tokens are transaction numbers, with one epoch for
 * each leader above a counter that begins anew.
 */
public record ZooKeeperRules(Duration tick) implements StoreRules {
    private static final int TICKS_MIN = 2;
    private static final int TICKS_MAX = 20;
    private static final int COUNTER_BITS = 32;
    private static final long MILLI_NANOS = 1_000_000;
    /** What the backend allows for: one renewal that was never handed on, and half a tick. */
    private static final double RENEWAL_INTERVAL = 0.25;

    private static final double HALF_TICK_SHARE_MAX = 0.25;

    @Override
    public Lifetime grant(long wantedNanos) {
        long timeoutMillis = negotiated(wantedNanos / MILLI_NANOS);
        double relay = Math.min(timeoutMillis * HALF_TICK_SHARE_MAX, halfTickMillis());
        long ttlMillis = (long) ((timeoutMillis - relay) / (1 + RENEWAL_INTERVAL));
        return new Lifetime(ttlMillis * MILLI_NANOS, timeoutMillis * MILLI_NANOS);
    }

    private long negotiated(long askedMillis) {
        return Math.max(TICKS_MIN * tick.toMillis(), Math.min(TICKS_MAX * tick.toMillis(), askedMillis));
    }

    private double halfTickMillis() {
        return tick.toMillis() / 2.0;
    }

    @Override
    public long endsAtNanos(long dueNanos) {
        return (dueNanos / tick.toNanos() + 1) * tick.toNanos();
    }

    @Override
    public long touchDelayNanosMax() {
        return tick.toNanos() / 2;
    }

    @Override
    public boolean hasLeader() {
        return true;
    }

    /** A client that is notified that the latch in front has gone reads from the server that notified it, which may lag behind. */
    @Override
    public boolean showsWhatItNotifiedOf() {
        return true;
    }

    @Override
    public long revisionOfNewLeader(long revision) {
        return ((revision >>> COUNTER_BITS) + 1) << COUNTER_BITS;
    }

    @Override
    public boolean removesEmptyElections() {
        return true;
    }

    @Override
    public boolean distinguishesClosing() {
        return false;
    }
}
