package dev.tenure.internal.lease;

import dev.tenure.spi.Versioned;
import dev.tenure.spi.support.RecordCodec;
import java.time.Duration;

/** {@code s/<session>}: the liveness of one process. Each renewal writes it anew with the next beat. */
record SessionRecord(String id, String node, Duration ttl, long beat, State state) {
    private static final RecordCodec CODEC = new RecordCodec("tenure session 1");
    static final String PREFIX = "s/";

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
        return CODEC.lines()
                .add("session", id)
                .add("node", node)
                .add("ttlMillis", ttl.toMillis())
                .add("beat", beat)
                .add("state", state)
                .text();
    }

    static SessionRecord of(Versioned stored) {
        return CODEC.read("record " + stored.key(), stored.value(), fields -> {
            String id = fields.text("session");
            if (!key(id).equals(stored.key())) {
                throw new IllegalArgumentException("it is the record of session '" + id + "'");
            }
            return new SessionRecord(
                    id,
                    fields.text("node"),
                    fields.ttlMillis("ttlMillis"),
                    fields.number("beat", 0, Long.MAX_VALUE),
                    fields.oneOf("state", State.class));
        });
    }
}
