package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import dev.tenure.spi.ClaimRequest;

/** What the second connection waits for. */
sealed interface Aim {
    record Nothing() implements Aim {}

    /** The end of a connection, of another process or of this one: its own lock becomes free. */
    record End(long lineKey) implements Aim {}

    /** An election, in the server's queue for its lock. */
    record Turn(ClaimRequest request) implements Aim {}

    default boolean isTurnOf(ElectionName election) {
        return this instanceof Turn turn && turn.request().election().equals(election);
    }
}
