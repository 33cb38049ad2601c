// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.raft;

import java.util.Comparator;

/**
 * Where a log ends: all that an election needs to know of it. The later term is more up to date, then the longer log.
 *
 * @param term of the last entry
 */
public record LogPosition(long term, long index) implements Comparable<LogPosition> {
    public static final LogPosition EMPTY = new LogPosition(0, 0);

    private static final Comparator<LogPosition> ORDER =
            Comparator.comparingLong(LogPosition::term).thenComparingLong(LogPosition::index);

    @Override
    public int compareTo(LogPosition other) {
        return ORDER.compare(this, other);
    }

    LogPosition max(LogPosition other) {
        return compareTo(other) < 0 ? other : this;
    }
}
