package dev.tenure.peers;

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

    boolean isFast() {
        return name.equals(FAST.name);
    }

    @Override
    public String toString() {
        return heartbeat.toMillis() + "/" + electionMin.toMillis() + "-" + electionMax.toMillis() + " ms";
    }
}
