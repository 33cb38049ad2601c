// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import dev.tenure.FencingToken;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.spi.support.RecordCodec;
import java.time.Instant;
import java.util.Optional;

/**
 * What Tenure notes in a Lease beside its five fields: the newest term of a candidate of Tenure.
 *
 * @param token 0 until the first renewal: a write does not know its own version, which is its token
 * @param tokenBefore the highest one that was noted before this term
 * @param identity the holder that the note is about, and it says nothing of another one; empty once the term was released
 */
record TermNote(int era, long token, long tokenBefore, Nonce nonce, String identity, Shown shown) {
    /**
     * For people.
     *
     * @param since by the holder's wall clock
     */
    record Shown(String node, Instant since, LeaderMetadata metadata) {}

    private static final RecordCodec CODEC = new RecordCodec("tenure lease 1");

    /** With the token that a write of this version has issued, unless it is known already. */
    TermNote issued(long version) {
        return token > 0
                ? this
                : new TermNote(era, FencingToken.of(era, version).value(), tokenBefore, nonce, identity, shown);
    }

    TermNote released() {
        return new TermNote(era, token, tokenBefore, nonce, "", shown);
    }

    String text() {
        return CODEC.lines()
                .add("era", era)
                .add("token", token)
                .add("tokenBefore", tokenBefore)
                .add("nonce", nonce)
                .add("identity", identity)
                .add("node", shown.node())
                .add("sinceMillis", shown.since().toEpochMilli())
                .addAll("card.", shown.metadata().entries())
                .text();
    }

    /** Empty if somebody else has written over it. */
    static Optional<TermNote> find(String text) {
        return CODEC.find(
                text,
                fields -> new TermNote(
                        (int) fields.number("era", 0, FencingToken.ERA_MAX),
                        fields.number("token", 0, Long.MAX_VALUE),
                        fields.number("tokenBefore", 0, Long.MAX_VALUE),
                        Nonce.parse(fields.text("nonce")),
                        fields.text("identity"),
                        new Shown(
                                fields.text("node"),
                                fields.epochMillis("sinceMillis"),
                                new LeaderMetadata(fields.under("card.")))));
    }
}
