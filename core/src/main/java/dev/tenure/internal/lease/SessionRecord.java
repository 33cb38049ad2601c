// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import dev.tenure.ElectionName;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.support.RecordCodec;
import java.time.Duration;
import java.util.Collection;
import java.util.HexFormat;
import java.util.stream.Collectors;

/**
 * {@code s/<session>}: the liveness of one process. Each renewal writes it anew with the next beat.
 *
 * @param stands in which elections, as others need to know it to let the right one go first: hashes of their names, or an
 *     asterisk for anywhere
 */
record SessionRecord(String id, String node, Duration ttl, long beat, State state, String stands) {
    private static final RecordCodec CODEC = new RecordCodec("tenure session 1");
    static final String PREFIX = "s/";
    private static final String ANYWHERE = "*";
    private static final int SAID_MAX = 16;

    enum State {
        OPEN,
        EVICTED
    }

    static String key(String id) {
        return PREFIX + id;
    }

    static String idOf(Versioned stored) {
        return stored.key().substring(PREFIX.length());
    }

    static SessionRecord first(String id, String node, Duration ttl) {
        return new SessionRecord(id, node, ttl, 0, State.OPEN, ANYWHERE);
    }

    SessionRecord next(Collection<ElectionName> standing) {
        String said = standing.size() > SAID_MAX
                ? ANYWHERE
                : standing.stream().map(SessionRecord::hash).sorted().collect(Collectors.joining("."));
        return new SessionRecord(id, node, ttl, beat + 1, state, said);
    }

    SessionRecord evicted() {
        return new SessionRecord(id, node, ttl, beat + 1, State.EVICTED, stands);
    }

    boolean mayStandIn(ElectionName election) {
        return stands.equals(ANYWHERE) || stands.contains(hash(election));
    }

    private static String hash(ElectionName election) {
        return HexFormat.of().toHexDigits(election.encoded().hashCode());
    }

    String text() {
        return CODEC.lines()
                .add("session", id)
                .add("node", node)
                .add("ttlMillis", ttl.toMillis())
                .add("beat", beat)
                .add("stands", stands)
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
                    fields.oneOf("state", State.class),
                    fields.has("stands") ? fields.text("stands") : ANYWHERE);
        });
    }
}
