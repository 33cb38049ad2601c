package dev.tenure.internal.lease;

import dev.tenure.Card;
import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Versioned;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

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
    private static final String HEADING = "tenure claim 1";
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

    /** Without the nonce, which a fence takes for proof and nobody asks for any more: so all of it may be told. */
    ClaimRecord vacant() {
        return new ClaimRecord(election, session, token, NO_NONCE, State.VACANT, holder, ttl, since, Card.EMPTY);
    }

    /** What everybody may hear of it: all of a vacant one, and of one that is held neither nonce nor card. */
    String word() {
        return new ClaimRecord(election, session, token, NO_NONCE, state, holder, ttl, since, Card.EMPTY).text();
    }

    boolean isHeldBy(String id) {
        return state == State.HELD && session.equals(id);
    }

    Leader leader() {
        return new Leader(election, holder, new FencingToken(token), since, card);
    }

    String text() {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("election", election.value());
        fields.put("state", state.name());
        fields.put("token", Long.toString(token));
        fields.put("nonce", nonce.toString());
        fields.put("session", session);
        fields.put("holder", holder);
        fields.put("ttlMillis", Long.toString(ttl.toMillis()));
        fields.put("sinceMillis", Long.toString(since.toEpochMilli()));
        card.entries().forEach((name, value) -> fields.put("card." + name, value));
        return RecordText.write(HEADING, fields);
    }

    boolean isOf(Term term) {
        return nonce.equals(term.nonce()) && token == term.token().value();
    }

    static ClaimRecord of(Versioned stored) {
        RecordText text = RecordText.read(stored.key(), HEADING, stored.value());
        try {
            ElectionName election = ElectionName.of(text.text("election"));
            if (!key(election).equals(stored.key())) {
                throw RecordText.corrupt(stored.key(), "it is the record of election '" + election + "'");
            }
            State state = text.oneOf("state", State.class);
            return new ClaimRecord(
                    election,
                    text.text("session"),
                    text.number("token", state == State.HELD ? 1 : 0, Long.MAX_VALUE),
                    Nonce.parse(text.text("nonce")),
                    state,
                    text.text("holder"),
                    Duration.ofMillis(
                            text.number("ttlMillis", 1, Duration.ofHours(24).toMillis())),
                    Instant.ofEpochMilli(text.number("sinceMillis", Long.MIN_VALUE, Long.MAX_VALUE)),
                    new Card(text.under("card.")));
        } catch (IllegalArgumentException invalid) {
            throw RecordText.corrupt(stored.key(), String.valueOf(invalid.getMessage()));
        }
    }
}
