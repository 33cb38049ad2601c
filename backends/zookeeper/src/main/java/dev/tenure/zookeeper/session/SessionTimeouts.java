// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.session;

import java.time.Duration;

/**
 * How long a holder may rely on a ZooKeeper session: for less than the session's own timeout, which is the TTL that the user asked for.
 *
 * <p>Only ZooKeeper's leader ends sessions, and it does not see every sign of life at once: a follower collects the touches of
 * its clients and relays them with its answer to the leader's next ping, which comes every half tick. A renewal is
 * acknowledged by a quorum, so the follower and the leader were still in touch when it passed; but the touch that came with
 * it may be lost, if both the client and its follower are cut off right after. What the leader has surely counted is a
 * renewal that was acknowledged half a tick before this one was sent ({@link SessionRenewal.RenewalHistory}):
 *
 * <pre>
 *   leader's expiry ≥ sent of that one + timeout,     gap = from sending that one to sending this one
 *   so a renewal is good for     timeout − gap     from when it was sent
 * </pre>
 *
 * While all goes well the gap is at most a quarter of what is usable and half a tick: {@code timeout = usable + usable/4 + tick/2}.
 * When renewals fail and are tried again, one that succeeds can come much later than the one before; it is good for that
 * much less, and so is one right behind it. The engine renews all the sooner, and half a tick later the usable time is whole again.
 *
 * <p>The client cannot ask for the tick. A session lasts at least two ticks unless the servers were told otherwise, so half a
 * tick is at most a quarter of the timeout; and where the timeout is long, half of the tick that is configured here (2 s, as
 * in ZooKeeper itself, unless told) counts.
 */
public record SessionTimeouts(Duration tick) {
    public static final Duration TTL_MIN = Duration.ofMillis(100);
    public static final Duration TTL_MAX = Duration.ofHours(1);

    private static final double RENEWAL_INTERVAL = 0.25;
    private static final double HALF_TICK_SHARE_MAX = 0.25;
    /** Times are measured on a clock whose rate may be wrong by a tenth. */
    private static final double DRIFT_ALLOWANCE = 1.12;

    /** The session timeout to ask for, in milliseconds: a failover then takes a TTL and a tick at most. */
    public int timeoutMillis(Duration ttl) {
        return (int) ttl.toMillis();
    }

    /** What a holder may rely on, given the timeout that the servers granted. */
    Duration usable(int timeoutMillis) {
        return Duration.ofMillis((long) ((timeoutMillis - relayMillis(timeoutMillis)) / (1 + RENEWAL_INTERVAL)));
    }

    /**
     * What a renewal is good for.
     *
     * @param gap from when the last one was sent that is surely counted, to when this one was sent
     */
    Duration usable(int timeoutMillis, Duration gap) {
        long usableMillis = usable(timeoutMillis).toMillis();
        double usualMillis = usableMillis * RENEWAL_INTERVAL + relayMillis(timeoutMillis);
        double excessMillis = Math.max(0, gap.toMillis() - usualMillis);
        return Duration.ofMillis((long) Math.max(0, usableMillis - DRIFT_ALLOWANCE * excessMillis));
    }

    /** After this a follower has surely relayed to the leader what it has acknowledged. */
    Duration relayedWithin(int timeoutMillis) {
        return Duration.ofMillis((long) Math.ceil(DRIFT_ALLOWANCE * relayMillis(timeoutMillis)));
    }

    private double relayMillis(int timeoutMillis) {
        return Math.min(timeoutMillis * HALF_TICK_SHARE_MAX, tick.toMillis() / 2.0);
    }
}
