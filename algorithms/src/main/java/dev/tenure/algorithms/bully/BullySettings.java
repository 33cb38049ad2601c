// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.bully;

import java.time.Duration;

/**
 * @param answer how long those that outrank a node have to answer: longer than a round trip
 * @param coordinator how long one that answered has to win: longer than its own election
 */
public record BullySettings(Duration answer, Duration coordinator) {
    public BullySettings {
        if (coordinator.compareTo(answer) <= 0) {
            throw new IllegalArgumentException("coordinator " + coordinator + " must be longer than answer " + answer);
        }
    }

    public static BullySettings lab() {
        return new BullySettings(Duration.ofMillis(50), Duration.ofMillis(300));
    }
}
