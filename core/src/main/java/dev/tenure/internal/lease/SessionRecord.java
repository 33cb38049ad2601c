package dev.tenure.internal.lease;

import dev.tenure.spi.Versioned;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** {@code s/<session>}: the liveness of one process. Each renewal writes it anew with the next beat. */
record SessionRecord(String id, String node, Duration ttl, long beat, State state) {
    private static final String HEADING = "tenure session 1";
    static final String PREFIX = "s/";
    /** A record that claims to live for years is an attack or an accident, not a lease. */
    private static final long TTL_MILLIS_MAX = Duration.ofHours(24).toMillis();

    enum State {
        OPEN,
        EVICTED
    }

    static String key(String id) {
        return PREFIX + id;
    }

    SessionRecord next() {
        return new SessionRecord(id, node, ttl, beat + 1, state);
    }

    SessionRecord evicted() {
        return new SessionRecord(id, node, ttl, beat + 1, State.EVICTED);
    }

    String text() {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("session", id);
        fields.put("node", node);
        fields.put("ttlMillis", Long.toString(ttl.toMillis()));
        fields.put("beat", Long.toString(beat));
        fields.put("state", state.name());
        return RecordText.write(HEADING, fields);
    }

    static SessionRecord of(Versioned stored) {
        RecordText text = RecordText.read(stored.key(), HEADING, stored.value());
        String id = text.text("session");
        if (!key(id).equals(stored.key())) {
            throw RecordText.corrupt(stored.key(), "it is the record of session '" + id + "'");
        }
        return new SessionRecord(
                id,
                text.text("node"),
                Duration.ofMillis(text.number("ttlMillis", 1, TTL_MILLIS_MAX)),
                text.number("beat", 0, Long.MAX_VALUE),
                text.oneOf("state", State.class));
    }
}
