// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.ring;

import java.time.Duration;

/**
 * @param patiencePerNode an election that has not ended after this time for each member is held again
 */
public record RingSettings(Duration patiencePerNode, Repair repair) {
    /** What a node does whose neighbour is suspected. */
    public enum Repair {
        /** Nothing: the ring is broken until the neighbour is back. As the papers have it. */
        NONE,
        /** Sends to the next one that lives. */
        AROUND_THE_DEAD
    }

    public static RingSettings lab() {
        return new RingSettings(Duration.ofMillis(60), Repair.AROUND_THE_DEAD);
    }

    public RingSettings repairing(Repair other) {
        return new RingSettings(patiencePerNode, other);
    }
}
