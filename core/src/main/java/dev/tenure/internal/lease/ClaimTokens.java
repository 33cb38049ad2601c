// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.ExternalTokens;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.TokenIssuer;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.WriteReply;
import dev.tenure.spi.support.RecordCodec;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Where the tokens of a store come from: they are counted here, or the store issues them.
 *
 * <p><b>Counted</b>: the next token is above the last one, above the floor, and at least the store's clock in milliseconds. The
 * clock lets tokens grow also over a deleted record, a restored backup and a failover that lost the last writes, as long as
 * the issuing clock is not behind the one that issued the lost token.
 *
 * <p><b>Issued</b> ({@link TokenIssuer}): a write does not know its own number, so the record that it makes carries only the era, and the
 * last token before it. Its token is the era and the number of the write. If that is not above the last one, the store's numbers have gone
 * back: the record is void, nobody leads by it, and it is read as vacant with the last token. The engine raises the era then.
 *
 * <p><b>Drawn</b> ({@link ExternalTokens}): counted as above, but in a record of another store, after the election was claimed.
 */
final class ClaimTokens {
    /** A hostile fence may tell any floor; it must not be able to burn the space of tokens. */
    private static final long FLOOR_AHEAD_MILLIS_MAX = Duration.ofDays(1).toMillis();

    private static final RecordCodec CODEC = new RecordCodec("tenure token 1");
    private static final String PREFIX = "t/";
    private static final int DRAWS_MAX = 5;

    private final Optional<TokenIssuer> issuer;
    private final Optional<LoopStore> external;

    ClaimTokens(LeaseStore store, Host host) {
        issuer = store instanceof TokenIssuer issuing ? Optional.of(issuing) : Optional.empty();
        external = store instanceof ExternalTokens drawing
                ? Optional.of(new LoopStore(drawing.tokenStore(), host))
                : Optional.empty();
    }

    boolean areDrawn() {
        return external.isPresent();
    }

    /** A token above the last one and the floor, that was never drawn before and is durable. */
    CompletableFuture<Long> draw(ElectionName election, long last, long floor, int era) {
        return external.orElseThrow()
                .read(PREFIX + election.encoded())
                .thenCompose(found -> draw(found, last, floor, era, DRAWS_MAX));
    }

    private CompletableFuture<Long> draw(Versioned found, long last, long floor, int era, int draws) {
        long drawn = found.isPresent()
                ? CODEC.read(
                        "record " + found.key(), found.value(), fields -> fields.number("token", 1, Long.MAX_VALUE))
                : 0;
        long token =
                next(Math.max(drawn, last), floor, era, found.clockMillis()).value();
        String text = CODEC.lines().add("token", token).text();
        return external.orElseThrow().issue(found, text, token).thenCompose(reply -> {
            if (reply instanceof WriteReply.Refused refused && draws > 1) {
                return draw(refused.current(), last, floor, era, draws - 1);
            }
            if (reply instanceof WriteReply.Applied) {
                return CompletableFuture.completedFuture(token);
            }
            throw BackendException.unreachable("the record " + found.key() + " keeps changing while a token is drawn");
        });
    }

    /** A claim that is about to be written; its token is 0 until the store has issued it. */
    record Draft(ClaimRecord claim, int era, String text) {}

    Draft draft(ClaimRecord claim, long last, long floor, int era, long clockMillis) {
        if (issuer.isPresent()) {
            // A session may know the era of a moment ago, but the last token was issued in an era that the store has
            // reached.
            int reached = Math.max(era, (int) (last >>> FencingToken.SEQUENCE_BITS));
            return new Draft(claim, reached, claim.textToBeIssued(reached, last));
        }
        if (external.isPresent()) {
            ClaimRecord claimed = claim.as(ClaimRecord.State.CLAIMED, last);
            return new Draft(claimed, era, claimed.text());
        }
        ClaimRecord counted = claim.with(next(last, floor, era, clockMillis).value());
        return new Draft(counted, era, counted.text());
    }

    /** The claim of this draft, once it was written. */
    ClaimRecord written(Draft draft, Versioned now) {
        return issuer.isPresent() ? draft.claim.with(issued(draft.era, now)) : draft.claim;
    }

    ClaimRecord read(Versioned stored) {
        return ClaimRecord.of(stored, era -> issued(era, stored));
    }

    /** For an election that nobody has held: a token that was never issued tells how old its record is. */
    long ofNobody(int era, long clockMillis) {
        return issuer.isPresent() ? 0 : byClock(era, clockMillis).value();
    }

    private long issued(int era, Versioned written) {
        long number = issuer.orElseThrow(() -> new IllegalArgumentException("it has no token"))
                .tokenOf(written);
        if (number < 1 || number > FencingToken.SEQUENCE_MAX) {
            throw new BackendException(
                    BackendException.Effect.UNKNOWN,
                    BackendException.Kind.MISCONFIGURED,
                    "the store has numbered a write " + number + ": a token has room up to 2^48 only");
        }
        return FencingToken.of(era, number).value();
    }

    static FencingToken next(long last, long floor, int era, long clockMillis) {
        long byClock = byClock(era, clockMillis).value();
        long farthest = Math.min(byClock + FLOOR_AHEAD_MILLIS_MAX, Long.MAX_VALUE - 1);
        long above = Math.max(last, Math.min(floor, farthest));
        if (above == Long.MAX_VALUE) {
            throw BackendException.corrupt(
                    "the record carries the highest token there is, so no higher one can be issued;"
                            + " it was not written by Tenure");
        }
        return new FencingToken(Math.max(above + 1, byClock));
    }

    /** The lowest token that is counted at this time of the store's clock. */
    static FencingToken byClock(int era, long clockMillis) {
        return FencingToken.of(era, Math.min(Math.max(clockMillis, 1), FencingToken.SEQUENCE_MAX));
    }
}
