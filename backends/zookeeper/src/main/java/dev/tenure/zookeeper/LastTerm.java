package dev.tenure.zookeeper;

import dev.tenure.FencingToken;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The newest term of an election, kept as the data of the election's own znode: who vanished leaves no latch behind, but
 * its token must stay known, and its successor wants to know whether it let go by itself. Nothing is decided by it: who
 * leads is decided by the latches alone, and peers do not write it.
 *
 * @param session of the holder, so that nobody takes over from itself
 * @param ttl how long its holder may believe without a renewal
 */
record LastTerm(FencingToken token, State state, String session, Duration ttl, Instant since) {
    private static final String HEADING = "tenure term 1";

    enum State {
        HELD,
        RELEASED
    }

    LastTerm released() {
        return new LastTerm(token, State.RELEASED, session, ttl, since);
    }

    /** As {@link RecordText} would write it: numbers and words of ours need no encoding, and a release waits for this. */
    byte[] data() {
        String text = HEADING
                + "\ntoken=" + token.value()
                + "\nstate=" + state.name()
                + "\nsession=" + session
                + "\nttlMillis=" + ttl.toMillis()
                + "\nsinceMillis=" + since.toEpochMilli()
                + "\n";
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Empty if nobody of ours has led here yet, or somebody else has written over it. */
    static Optional<LastTerm> of(String text) {
        try {
            return RecordText.decode(HEADING, text)
                    .map(record -> new LastTerm(
                            FencingToken.parse(record.text("token")),
                            State.valueOf(record.text("state")),
                            record.text("session"),
                            bounded(Duration.ofMillis(record.number("ttlMillis"))),
                            Instant.ofEpochMilli(record.number("sinceMillis"))));
        } catch (IllegalArgumentException damaged) {
            return Optional.empty();
        }
    }

    /** A damaged or hostile record must not make its successor wait for years. */
    private static Duration bounded(Duration ttl) {
        if (ttl.isNegative()) {
            return Duration.ZERO;
        }
        return ttl.compareTo(Lifetimes.TTL_MAX) > 0 ? Lifetimes.TTL_MAX : ttl;
    }

    /** Is it the term of the latch that was created by this transaction? */
    boolean isOf(long czxid) {
        return token.sequence() == czxid;
    }
}
