// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.quorum;

import java.time.Duration;

/**
 * @param announce how often a leader says that it leads
 * @param standMin the shortest wait of a node before it stands: longer than {@code announce}
 * @param standMax the longest
 */
public record QuorumSettings(Duration announce, Duration standMin, Duration standMax) {
    public QuorumSettings {
        if (standMin.compareTo(announce) <= 0 || standMax.compareTo(standMin) < 0) {
            throw new IllegalArgumentException(
                    "needed: announce " + announce + " < standMin " + standMin + " <= standMax " + standMax);
        }
    }

    public static QuorumSettings lab() {
        return new QuorumSettings(Duration.ofMillis(100), Duration.ofMillis(150), Duration.ofMillis(300));
    }
}
