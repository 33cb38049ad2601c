// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import java.util.List;

/**
 * What {@link Tenure#prune} has done so far.
 *
 * @param records how many elections the store had a record of
 * @param prunable how many of these could be removed
 * @param removed how many of these were removed; fewer if some were claimed meanwhile
 * @param refused vacant records that must not be removed
 */
public record Pruned(int records, int prunable, int removed, List<Refused> refused) {
    /**
     * A record that stays.
     *
     * @param election its name; the key of the record if it cannot be read
     * @param why one sentence
     */
    public record Refused(String election, String why) {}

    /** Copies the lists. */
    public Pruned {
        refused = List.copyOf(refused);
    }
}
