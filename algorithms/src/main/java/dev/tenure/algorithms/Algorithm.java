// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms;

import dev.tenure.algorithms.bully.Bully;
import dev.tenure.algorithms.paxos.Paxos;
import dev.tenure.algorithms.quorum.Quorum;
import dev.tenure.algorithms.raft.Raft;
import dev.tenure.algorithms.ring.ChangRoberts;
import dev.tenure.algorithms.ring.HirschbergSinclair;
import dev.tenure.algorithms.ring.RingList;
import dev.tenure.algorithms.sticky.Sticky;
import java.util.Optional;
import java.util.stream.Stream;

/** The algorithms, with the names by which people choose them. */
public enum Algorithm {
    BULLY("bully"),
    RING("ring"),
    CHANG_ROBERTS("chang-roberts"),
    HIRSCHBERG_SINCLAIR("hirschberg-sinclair"),
    QUORUM("quorum"),
    RAFT("raft"),
    PAXOS("paxos"),
    STICKY("sticky");

    private final String spelling;

    Algorithm(String spelling) {
        this.spelling = spelling;
    }

    public static Optional<Algorithm> named(String spelling) {
        return Stream.of(values())
                .filter(each -> each.spelling.equals(spelling))
                .findFirst();
    }

    public String spelling() {
        return spelling;
    }

    public Description description() {
        return switch (this) {
            case BULLY -> Bully.DESCRIPTION;
            case RING -> RingList.DESCRIPTION;
            case CHANG_ROBERTS -> ChangRoberts.DESCRIPTION;
            case HIRSCHBERG_SINCLAIR -> HirschbergSinclair.DESCRIPTION;
            case QUORUM -> Quorum.DESCRIPTION;
            case RAFT -> Raft.DESCRIPTION;
            case PAXOS -> Paxos.DESCRIPTION;
            case STICKY -> Sticky.DESCRIPTION;
        };
    }

    /** Does it need a failure detector beside it? Raft listens by itself. */
    public boolean needsDetector() {
        return this != RAFT;
    }

    /** Does each leader have a number that is above those of all before it? */
    public boolean hasTerms() {
        return this == QUORUM || this == RAFT || this == PAXOS;
    }
}
