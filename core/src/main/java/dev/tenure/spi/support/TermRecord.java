// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi.support;

import dev.tenure.FencingToken;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The newest term of an election, for stores whose claims vanish with their holders: the token must stay known, and the
 * successor wants to know whether its predecessor let go by itself. The record decides nothing, so a damaged one stops nobody.
 *
 * @param held false once its holder has released it
 * @param owner the session or the claim that led; it does not take over from itself
 * @param ttl for how long a holder that vanished may still believe; at most a day, whatever was written
 * @param since for people, by the holder's wall clock
 */
public record TermRecord(FencingToken token, boolean held, String owner, Duration ttl, Instant since) {
    private static final RecordCodec CODEC = new RecordCodec("tenure term 1");
    private static final long TTL_MILLIS_MAX = Duration.ofDays(1).toMillis();

    private enum State {
        HELD,
        RELEASED
    }

    /** Bounds the TTL by what a record can hold. */
    public TermRecord {
        ttl = Duration.ofMillis(Math.max(0, Math.min(ttl.toMillis(), TTL_MILLIS_MAX)));
    }

    /** The same term, as its holder leaves it. */
    public TermRecord released() {
        return new TermRecord(token, false, owner, ttl, since);
    }

    /** Had it not ended, and did not this owner lead it? */
    public boolean isHeldByAnother(String self) {
        return held && !owner.equals(self);
    }

    /** The text of the record. */
    public String text() {
        return CODEC.lines()
                .add("token", token)
                .add("state", held ? State.HELD : State.RELEASED)
                .add("session", owner)
                .add("ttlMillis", ttl.toMillis())
                .add("sinceMillis", since.toEpochMilli())
                .text();
    }

    /** Empty if nobody of ours has led here yet, or somebody else has written over it. */
    public static Optional<TermRecord> find(String text) {
        return CODEC.find(
                text,
                fields -> new TermRecord(
                        FencingToken.parse(fields.text("token")),
                        fields.oneOf("state", State.class) == State.HELD,
                        fields.text("session"),
                        Duration.ofMillis(fields.number("ttlMillis", Long.MIN_VALUE, Long.MAX_VALUE)),
                        fields.epochMillis("sinceMillis")));
    }
}
