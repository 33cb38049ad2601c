// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import dev.tenure.ElectionName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Where things lie, and what a transaction can do with them. The lock of an election is where {@code consul lock} has it. The
 * encoded name of an election begins with no dot.
 */
record KeyLayout(String prefix) {
    /** What {@code consul lock} marks its keys with; it refuses others. */
    static final long LOCK_FLAGS = 0x2ddccbc058a50c18L;

    String folder(ElectionName election) {
        return prefix + "/" + election.encoded() + "/";
    }

    String lock(ElectionName election) {
        return folder(election) + ".lock";
    }

    /** The newest term, which is still known when the lock is free or was deleted. */
    String term(ElectionName election) {
        return folder(election) + ".term";
    }

    String request(ElectionName election) {
        return folder(election) + ".request";
    }

    /** The store's id and era; and the guard of all claims, which is moved by a rewrite with another flag. */
    String era() {
        return prefix + "/.era";
    }

    String fence(String resource) {
        return prefix + "/.fence/" + ElectionName.of(resource).encoded();
    }

    /** Whose key is this? Empty if it belongs to no election of ours. */
    Optional<ElectionName> electionOf(String key) {
        int slash = key.lastIndexOf('/');
        String kind = key.substring(slash + 1);
        if (slash <= prefix.length() || !(kind.equals(".lock") || kind.equals(".term") || kind.equals(".request"))) {
            return Optional.empty();
        }
        try {
            return Optional.of(ElectionName.decode(key.substring(prefix.length() + 1, slash)));
        } catch (IllegalArgumentException notOurs) {
            return Optional.empty();
        }
    }

    static Map<String, KeyValueEntry> byKey(List<KeyValueEntry> entries) {
        return entries.stream().collect(Collectors.toMap(KeyValueEntry::key, entry -> entry, (before, after) -> after));
    }

    static String operation(String verb, String key, Object... more) {
        List<Object> fields = new ArrayList<>(List.of("Verb", verb, "Key", key));
        fields.addAll(List.of(more));
        return "{\"KV\":" + JsonText.object(fields.toArray()) + "}";
    }

    static String tree(String prefix) {
        return operation("get-tree", prefix);
    }

    static String set(String key, String value, long flags) {
        return operation("set", key, "Value", KeyValueEntry.encoded(value), "Flags", flags);
    }

    /** The key stands as it was seen, or is still not there. */
    static String unchanged(String key, Optional<KeyValueEntry> seen) {
        return seen.map(entry -> unchanged(key, entry.index())).orElse(operation("check-not-exists", key));
    }

    static String unchanged(String key, long index) {
        return operation("check-index", key, "Index", index);
    }

    /** @param verb {@code lock} or {@code unlock} */
    static String locking(String verb, String key, String value, String session) {
        return operation(verb, key, "Value", KeyValueEntry.encoded(value), "Session", session, "Flags", LOCK_FLAGS);
    }
}
