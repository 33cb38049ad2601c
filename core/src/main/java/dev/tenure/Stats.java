package dev.tenure;

import java.time.Duration;
import java.util.Map;

/** Counters of one client since it was opened, as one snapshot. */
public record Stats(
        int elections,
        int leading,
        long terms,
        long failovers,
        long renewals,
        long renewalsFailed,
        Map<ElectionName, ElectionStats> byElection) {

    /**
     * One election, as this process has seen it. {@code tokenAge} is how long the current token has been led here, and
     * {@code withoutLeader} how long this candidacy has known of no leader, itself included.
     */
    public record ElectionStats(
            Standing standing,
            long terms,
            java.util.Optional<FencingToken> token,
            Duration tokenAge,
            Duration withoutLeader) {}
}
