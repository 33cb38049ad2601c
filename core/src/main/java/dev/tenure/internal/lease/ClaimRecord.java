package dev.tenure.internal.lease;

import dev.tenure.Card;
import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.support.RecordCodec;
import java.time.Duration;
import java.time.Instant;

/**
 * {@code c/<election>}: who holds an election, under which token. Never deleted, because the token lives here: a release
 * writes "vacant, same token".
 *
 * @param ttl the holder's TTL, so that a successor knows how long a vanished holder may still believe
 */
record ClaimRecord(
        ElectionName election,
        String session,
        long token,
        Nonce nonce,
        State state,
        String holder,
        Duration ttl,
        Instant since,
        Card card) {
    private static final RecordCodec CODEC = new RecordCodec("tenure claim 1");
    static final String PREFIX = "c/";
    private static final Nonce NO_NONCE = new Nonce(0, 0);

    enum State {
        HELD,
        VACANT
    }

    static String key(ElectionName election) {
        return PREFIX + election.encoded();
    }

    static ClaimRecord held(ClaimRequest request, SessionRecord by, long token, Instant since) {
        return new ClaimRecord(
                request.election(),
                by.id(),
                token,
                request.nonce(),
                State.HELD,
                request.holder(),
                by.ttl(),
                since,
                request.card());
    }

    /** A record for an election that nobody has held yet; it stops a late claim from being applied. */
    static ClaimRecord neverHeld(ElectionName election, SessionRecord by, Instant since) {
        return new ClaimRecord(election, by.id(), 0, NO_NONCE, State.VACANT, by.node(), by.ttl(), since, Card.EMPTY);
    }

    /** Without the nonce, which a fence takes for proof and nobody asks for any more. */
    ClaimRecord vacant() {
        return new ClaimRecord(election, session, token, NO_NONCE, State.VACANT, holder, ttl, since, Card.EMPTY);
    }

    boolean isHeldBy(String id) {
        return state == State.HELD && session.equals(id);
    }

    Leader leader() {
        return new Leader(election, holder, new FencingToken(token), since, card);
    }

    String text() {
        return CODEC.lines()
                .add("election", election.value())
                .add("state", state)
                .add("token", token)
                .add("nonce", nonce)
                .add("session", session)
                .add("holder", holder)
                .add("ttlMillis", ttl.toMillis())
                .add("sinceMillis", since.toEpochMilli())
                .addAll("card.", card.entries())
                .text();
    }

    boolean isOf(Term term) {
        return nonce.equals(term.nonce()) && token == term.token().value();
    }

    static ClaimRecord of(Versioned stored) {
        return CODEC.read("record " + stored.key(), stored.value(), fields -> {
            ElectionName election = ElectionName.of(fields.text("election"));
            if (!key(election).equals(stored.key())) {
                throw new IllegalArgumentException("it is the record of election '" + election + "'");
            }
            State state = fields.oneOf("state", State.class);
            return new ClaimRecord(
                    election,
                    fields.text("session"),
                    fields.number("token", state == State.HELD ? 1 : 0, Long.MAX_VALUE),
                    Nonce.parse(fields.text("nonce")),
                    state,
                    fields.text("holder"),
                    fields.ttlMillis("ttlMillis"),
                    fields.epochMillis("sinceMillis"),
                    new Card(fields.under("card.")));
        });
    }
}
