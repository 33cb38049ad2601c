// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.raft;

import java.time.Duration;

/**
 * @param electionMin the shortest time without a leader after which a node stands
 * @param electionMax the longest
 * @param lease how long a leader believes after it last sent what a majority has answered
 * @param preVote ask before standing, so that a node that was cut off does not disturb those that were not
 * @param checkQuorum a leader without answers of a majority for a lease steps down, and nobody votes within
 *     {@code electionMin} of hearing a leader
 * @param replicates does it write a log, of which an election asks only where it ends? Where nothing is replicated there is none, and a
 *     heartbeat needs no disk
 */
public record RaftSettings(
        Duration heartbeat,
        Duration electionMin,
        Duration electionMax,
        Duration lease,
        boolean preVote,
        boolean checkQuorum,
        boolean replicates) {
    public RaftSettings {
        if (heartbeat.compareTo(electionMin) >= 0 || electionMin.compareTo(electionMax) > 0) {
            throw new IllegalArgumentException("needed: heartbeat " + heartbeat + " < electionMin " + electionMin
                    + " <= electionMax " + electionMax);
        }
    }

    /** The times of the paper, and a lease that is longer than they allow: belief may overlap, and the lab draws it. */
    public static RaftSettings lab() {
        return new RaftSettings(
                Duration.ofMillis(100),
                Duration.ofMillis(150),
                Duration.ofMillis(300),
                Duration.ofSeconds(1),
                true,
                true,
                true);
    }

    /** A lease that ends before anybody else can be elected, on clocks that run at the same rate. */
    public RaftSettings exclusive() {
        return leasing(electionMin.multipliedBy(9).dividedBy(10));
    }

    public RaftSettings leasing(Duration other) {
        return new RaftSettings(heartbeat, electionMin, electionMax, other, preVote, checkQuorum, replicates);
    }

    /** As in the paper's main part. */
    public RaftSettings plain() {
        return new RaftSettings(heartbeat, electionMin, electionMax, lease, false, false, replicates);
    }

    /** For groups that elect somebody and replicate nothing. */
    public RaftSettings withoutLog() {
        return new RaftSettings(heartbeat, electionMin, electionMax, lease, preVote, checkQuorum, false);
    }
}
