// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * One key as Consul shows it.
 *
 * @param index of the write that made it so, which grows over all keys
 * @param session that has locked it; empty if none has
 */
record KeyValueEntry(String key, String value, long index, long flags, String session) {
    /** Those among the objects of an answer. Where a transaction has written a value, it is not shown. */
    static List<KeyValueEntry> among(List<Map<String, String>> objects) {
        return objects.stream()
                .filter(shown -> shown.containsKey("ModifyIndex"))
                .map(shown -> new KeyValueEntry(
                        shown.getOrDefault("Key", ""),
                        decoded(shown.getOrDefault("Value", "")),
                        Long.parseLong(shown.getOrDefault("ModifyIndex", "0")),
                        Long.parseUnsignedLong(shown.getOrDefault("Flags", "0")),
                        shown.getOrDefault("Session", "")))
                .toList();
    }

    static String encoded(String value) {
        return Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8));
    }

    private static String decoded(String value) {
        return new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8);
    }
}
