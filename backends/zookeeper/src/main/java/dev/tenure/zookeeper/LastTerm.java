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
 * @param ttlMillis how long its holder may believe without a renewal
 * @param sinceMillis by the wall clock
 */
record LastTerm(FencingToken token, State state, String session, long ttlMillis, long sinceMillis) {
    private static final String HEADING = "tenure term 1";

    enum State {
        HELD,
        RELEASED
    }

    /** As {@link RecordText} would write it: numbers and words of ours need no encoding, and a release waits for this. */
    byte[] data() {
        String text = HEADING
                + "\ntoken=" + token.value()
                + "\nstate=" + state.name()
                + "\nsession=" + session
                + "\nttlMillis=" + ttlMillis
                + "\nsinceMillis=" + sinceMillis
                + "\n";
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Empty if nobody of ours has led here yet, or somebody else has written over it. */
    static Optional<LastTerm> of(String text) {
        if (!text.startsWith(HEADING + "\n")) {
            return Optional.empty();
        }
        try {
            return Optional.of(new LastTerm(
                    FencingToken.parse(field(text, "\ntoken=")),
                    State.valueOf(field(text, "\nstate=")),
                    field(text, "\nsession="),
                    Long.parseLong(field(text, "\nttlMillis=")),
                    Long.parseLong(field(text, "\nsinceMillis="))));
        } catch (IllegalArgumentException damaged) {
            return Optional.empty();
        }
    }

    /** What stands in the line that begins so. */
    private static String field(String text, String begin) {
        int found = text.indexOf(begin);
        if (found < 0) {
            throw new IllegalArgumentException("a line is missing");
        }
        int from = found + begin.length();
        int end = text.indexOf('\n', from);
        return end < 0 ? text.substring(from) : text.substring(from, end);
    }

    /** A damaged or hostile record must not make its successor wait for years. */
    Duration ttl() {
        return Duration.ofMillis(Math.max(0, Math.min(ttlMillis, Lifetimes.TTL_MAX.toMillis())));
    }

    Instant since() {
        return Instant.ofEpochMilli(sinceMillis);
    }

    /** Had it not ended when its latch went, and was it not led by this session? */
    boolean isHeldByAnother(String own) {
        return state == State.HELD && !session.equals(own);
    }

    /** Is it the term of the latch that was created by this transaction? */
    boolean isOf(long czxid) {
        return token.sequence() == czxid;
    }
}
