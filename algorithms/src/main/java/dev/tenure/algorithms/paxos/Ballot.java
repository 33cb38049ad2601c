// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.paxos;

import java.util.Comparator;

/** The number of an attempt: unique, because it ends with the id of its proposer. */
public record Ballot(long round, int proposer) implements Comparable<Ballot> {
    public static final Ballot NONE = new Ballot(0, 0);

    private static final Comparator<Ballot> ORDER =
            Comparator.comparingLong(Ballot::round).thenComparingInt(Ballot::proposer);

    @Override
    public int compareTo(Ballot other) {
        return ORDER.compare(this, other);
    }
}
