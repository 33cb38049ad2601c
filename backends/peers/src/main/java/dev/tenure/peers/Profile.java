package dev.tenure.peers;

import dev.tenure.algorithms.Effect;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The times of a group; all members must have the same.
 *
 * @param electionMin for so long after it heard a leader nobody votes for another one. It is also the TTL of a session: what a holder believes
 *     is core's 0.9 of it, less a margin, counted from before the heartbeat was sent
 * @param electionMax the longest time without a leader after which a member stands
 */
record Profile(String name, Duration heartbeat, Duration electionMin, Duration electionMax) {
    static final Profile DEFAULT =
            new Profile("default", Duration.ofMillis(300), Duration.ofMillis(1500), Duration.ofMillis(3000));
    static final Profile FAST =
            new Profile("fast", Duration.ofMillis(100), Duration.ofMillis(150), Duration.ofMillis(300));

    private static final int RETRIES_PER_TIMEOUT = 10;
    private static final int DOUBLINGS_MAX = 4;
    private static final int REPLIES_PER_TTL = 20;

    static Optional<Profile> named(String name) {
        return Stream.of(DEFAULT, FAST)
                .filter(profile -> profile.name.equals(name))
                .findFirst();
    }

    Duration ttl() {
        return electionMin;
    }

    /** The longest that a leader may rely on what a majority has answered. */
    Duration lease() {
        return electionMin.multipliedBy(9).dividedBy(10);
    }

    /** A claim is answered within this time: core waits for 0.15 of the TTL, and then takes the outcome for unknown. */
    long replyWithinNanos() {
        return ttl().toNanos() / REPLIES_PER_TTL;
    }

    Effect.SetTimer electionTimer(String name) {
        return new Effect.SetTimer(name, electionMin.toNanos(), electionMax.toNanos());
    }

    /**
     * After which time whoever wants to lead, and hears no leader, asks again. Later each time: where disks are slow, who asks again too
     * soon never hears the answer to what it asked before.
     */
    long retryNanos(int tries) {
        long firstNanos = electionMin.toNanos() / RETRIES_PER_TIMEOUT;
        return Math.min(electionMin.toNanos(), firstNanos << Math.min(tries, DOUBLINGS_MAX));
    }

    boolean isFast() {
        return name.equals(FAST.name);
    }

    @Override
    public String toString() {
        return heartbeat.toMillis() + "/" + electionMin.toMillis() + "-" + electionMax.toMillis() + " ms";
    }
}
