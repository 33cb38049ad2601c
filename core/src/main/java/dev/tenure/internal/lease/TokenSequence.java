package dev.tenure.internal.lease;

import dev.tenure.FencingToken;
import dev.tenure.spi.BackendException;
import java.time.Duration;

/**
 * The next token of a counting store: above the last one, above the floor, and at least the store's clock in
 * milliseconds. The clock lets tokens grow also over a deleted record, a restored backup and a failover that lost the last
 * writes, as long as the issuing clock is not behind the one that issued the lost token.
 */
final class TokenSequence {
    /** A hostile fence may tell any floor; it must not be able to burn the space of tokens. */
    private static final long FLOOR_AHEAD_MILLIS_MAX = Duration.ofDays(1).toMillis();

    private TokenSequence() {}

    static FencingToken next(long last, long floor, int era, long clockMillis) {
        long clock = Math.min(Math.max(clockMillis, 1), FencingToken.SEQUENCE_MAX);
        long byClock = FencingToken.of(era, clock).value();
        long farthest = Math.min(byClock + FLOOR_AHEAD_MILLIS_MAX, Long.MAX_VALUE - 1);
        long above = Math.max(last, Math.min(floor, farthest));
        if (above == Long.MAX_VALUE) {
            throw new BackendException(
                    BackendException.Effect.NONE,
                    BackendException.Kind.CORRUPT,
                    "the record carries the highest token there is, so no higher one can be issued;"
                            + " it was not written by Tenure");
        }
        return new FencingToken(Math.max(above + 1, byClock));
    }
}
