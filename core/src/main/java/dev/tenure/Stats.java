// SPDX-License-Identifier: Apache-2.0
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
        SessionStats session,
        Map<ElectionName, ElectionStats> byElection) {
    static final Stats NONE =
            new Stats(0, 0, 0, 0, new SessionStats(Duration.ZERO, 0, 0, Duration.ZERO, Duration.ZERO), Map.of());

    /** How many renewals the store has acknowledged. */
    public long renewals() {
        return session.renewals;
    }

    /** How many renewals failed, or were not answered in time. */
    public long renewalsFailed() {
        return session.renewalsFailed;
    }

    /**
     * The session that all elections of the client share.
     *
     * @param ttl what the store granted, or what is asked for
     * @param silence how long ago the request was sent that the store acknowledged last; zero while no session is wanted
     * @param remaining how long the authority of every term lasts without another renewal; zero without any
     */
    public record SessionStats(
            Duration ttl, long renewals, long renewalsFailed, Duration silence, Duration remaining) {}

    /**
     * One election, as one candidacy of this process has seen it. All of it begins anew with a new candidacy, and nothing else
     * resets it.
     *
     * @param terms how many terms this candidacy has led
     * @param tokenAge how long the current token has been led here; zero while this process does not lead
     * @param withoutLeader how long, in total since this candidacy began, it has known of no leader, itself included. It grows
     *     from the beginning until a first leader is known, and from the end of each own term until the next leader is known. It
     *     stands still while anybody is known to lead. Another leader counts as leading until this candidacy has led itself: a
     *     process that waits cannot tell a crashed leader from a silent one.
     * @param leader the node that leads as far as this candidacy knows, itself included
     */
    public record ElectionStats(
            Standing standing,
            long terms,
            Optional<FencingToken> token,
            Duration tokenAge,
            Duration withoutLeader,
            Optional<String> leader) {}
}
