package dev.tenure.consul;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One key as Consul shows it.
 *
 * @param index of the write that made it so, which grows over all keys
 * @param session that has locked it; empty if none has
 */
record KeyValueEntry(String key, String value, long index, long flags, String session) {
    /** @param shown an object of Consul's answer; the value is missing where a transaction has written it */
    static KeyValueEntry of(Map<?, ?> shown) {
        return new KeyValueEntry(
                text(shown.get("Key")),
                JsonText.decoded(text(shown.get("Value"))),
                ((Number) shown.get("ModifyIndex")).longValue(),
                ((Number) shown.get("Flags")).longValue(),
                text(shown.get("Session")));
    }

    private static String text(@Nullable Object field) {
        return field == null ? "" : field.toString();
    }
}
