package dev.tenure;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Counters of one client since it was opened, as one snapshot. */
public record Stats(
        int elections,
        int leading,
        long terms,
        long failovers,
        long renewals,
        long renewalsFailed,
        Map<ElectionName, ElectionStats> byElection) {
    static final Stats NONE = new Stats(0, 0, 0, 0, 0, 0, Map.of());

    /**
     * One election, as this process has seen it. {@code tokenAge} is how long the current token has been led here, and
     * {@code withoutLeader} how long this candidacy has known of no leader, itself included.
     */
    public record ElectionStats(
            Standing standing, long terms, Optional<FencingToken> token, Duration tokenAge, Duration withoutLeader) {}
}
