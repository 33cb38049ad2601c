// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** What a leader publishes about itself to those that watch, such as its address. At most 8 KB; more is refused, not cut. */
public record LeaderMetadata(Map<String, String> entries) {
    /** How many bytes all keys and values may have together, in UTF-8. */
    public static final int BYTES_MAX = 8 * 1024;
    /** Without an entry. */
    public static final LeaderMetadata EMPTY = new LeaderMetadata(Map.of());

    /** Refuses entries that are too long or no valid text. */
    public LeaderMetadata {
        entries = Map.copyOf(entries);
        int bytes = 0;
        for (Map.Entry<String, String> entry : entries.entrySet()) {
            bytes += entry.getKey().getBytes(StandardCharsets.UTF_8).length
                    + entry.getValue().getBytes(StandardCharsets.UTF_8).length;
        }
        if (!entries.entrySet().stream()
                .allMatch(entry -> Text.isWellFormed(entry.getKey()) && Text.isWellFormed(entry.getValue()))) {
            throw new IllegalArgumentException("the metadata contains half of a surrogate pair");
        }
        if (bytes > BYTES_MAX) {
            throw new IllegalArgumentException(
                    "the metadata has " + bytes + " bytes, at most " + BYTES_MAX + " are allowed");
        }
    }

    /** A copy with this entry, which replaces one of the same key. */
    public LeaderMetadata with(String key, String value) {
        Map<String, String> more = new TreeMap<>(entries);
        more.put(key, value);
        return new LeaderMetadata(more);
    }
}
