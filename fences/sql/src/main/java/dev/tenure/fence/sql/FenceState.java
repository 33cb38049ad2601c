package dev.tenure.fence.sql;

import java.util.List;

/**
 * A fence as operators see it.
 *
 * @param election encoded
 * @param store which elects, or nothing if nobody named it
 * @param token zero if it was never raised
 * @param raised when, as the database writes it
 */
public record FenceState(
        String resource,
        String election,
        String store,
        long token,
        String holder,
        String raised,
        List<GuardedTableState> tables) {
    /** The election's name, as people write it. */
    public String electionName() {
        return FenceRow.shown(election);
    }

    /** Is there a way past the triggers that should not be there? */
    public boolean isOpen() {
        return tables.stream().anyMatch(GuardedTableState::isOpen);
    }
}
