package dev.tenure.fence.sql;

import java.util.List;

/**
 * A table behind triggers.
 *
 * @param open ways past the triggers, which can be closed
 * @param known ways past them that every such table has, and who can go them
 */
public record GuardedTableState(String table, String resource, List<String> open, List<String> known) {
    public boolean isOpen() {
        return !open.isEmpty();
    }
}
