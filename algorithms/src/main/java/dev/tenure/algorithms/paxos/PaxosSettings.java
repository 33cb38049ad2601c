// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.paxos;

import java.time.Duration;

/**
 * @param announce how often a leader says that it leads
 * @param standMin the shortest wait of a node before it proposes: longer than {@code announce}
 * @param standMax the longest
 * @param duels what a proposer does that was outbid
 */
public record PaxosSettings(Duration announce, Duration standMin, Duration standMax, Duels duels) {
    public PaxosSettings {
        if (standMin.compareTo(announce) <= 0 || standMax.compareTo(standMin) < 0) {
            throw new IllegalArgumentException(
                    "needed: announce " + announce + " < standMin " + standMin + " <= standMax " + standMax);
        }
    }

    /** Two proposers that outbid each other for ever decide nothing. */
    public enum Duels {
        /** Bid higher at once: shows the duel. */
        FIGHT,
        /** Wait for a random time that doubles with each try. */
        BACK_OFF
    }

    public static PaxosSettings lab() {
        return new PaxosSettings(
                Duration.ofMillis(100), Duration.ofMillis(150), Duration.ofMillis(300), Duels.BACK_OFF);
    }

    public PaxosSettings with(Duels other) {
        return new PaxosSettings(announce, standMin, standMax, other);
    }
}
