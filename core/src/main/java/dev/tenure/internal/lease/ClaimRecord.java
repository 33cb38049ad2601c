// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.support.RecordCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.IntToLongFunction;

/**
 * {@code c/<election>}: who holds an election, under which token. Elections never delete it, because the token lives here: a
 * release writes "vacant, same token".
 *
 * @param token the last one of the election; 0 if there was none, or if the store has still to issue it
 * @param by the process that has written it, or held it last
 */
record ClaimRecord(ElectionName election, long token, Nonce nonce, State state, Holder by) {
    private static final RecordCodec CODEC = new RecordCodec("tenure claim 1");
    static final String PREFIX = "c/";
    private static final Nonce NO_NONCE = new Nonce(0, 0);

    enum State {
        HELD,
        /** Its token is still to be drawn from another store: nobody leads by it, but others wait as long as its session lives. */
        CLAIMED,
        VACANT
    }

    /** @param ttl so that a successor knows how long a vanished holder may still believe */
    record Holder(String session, String name, Duration ttl, Instant since, LeaderMetadata metadata) {
        static Holder of(SessionRecord record, String name, Instant since, LeaderMetadata metadata) {
            return new Holder(record.id(), name, record.ttl(), since, metadata);
        }
    }

    static String key(ElectionName election) {
        return PREFIX + election.encoded();
    }

    /** Without its token, which is counted or issued. */
    static ClaimRecord held(ClaimRequest request, SessionRecord by, Instant since) {
        Holder holder = Holder.of(by, request.holder(), since, request.metadata());
        return new ClaimRecord(request.election(), 0, request.nonce(), State.HELD, holder);
    }

    /** A record for an election that nobody has held yet; it stops a late claim from being applied. */
    static ClaimRecord neverHeld(ElectionName election, SessionRecord by, long token, Instant since) {
        Holder nobody = Holder.of(by, by.node(), since, LeaderMetadata.EMPTY);
        return new ClaimRecord(election, token, NO_NONCE, State.VACANT, nobody);
    }

    ClaimRecord with(long newToken) {
        return as(state, newToken);
    }

    /** The same, in another state and with this token. */
    ClaimRecord as(State newState, long newToken) {
        return new ClaimRecord(election, newToken, nonce, newState, by);
    }

    /** Without the nonce, which a fence takes for proof and nobody asks for any more. */
    ClaimRecord vacant() {
        Holder last = new Holder(by.session, by.name, by.ttl, by.since, LeaderMetadata.EMPTY);
        return new ClaimRecord(election, token, NO_NONCE, State.VACANT, last);
    }

    String session() {
        return by.session;
    }

    boolean isVacant() {
        return state == State.VACANT;
    }

    boolean isHeldBy(String id) {
        return state == State.HELD && by.session.equals(id);
    }

    /** Held by it, or about to be. */
    boolean isOfSession(String id) {
        return state != State.VACANT && by.session.equals(id);
    }

    boolean isOf(ExpiryTimers.Holder holder) {
        return isOfSession(holder.session()) && token == holder.token();
    }

    boolean isOf(Term term) {
        return nonce.equals(term.nonce()) && token == term.token().value();
    }

    /** Empty if nobody leads by it. */
    Optional<Leader> leader() {
        return state == State.HELD
                ? Optional.of(new Leader(election, by.name, new FencingToken(token), by.since, by.metadata))
                : Optional.empty();
    }

    /** With the token, which a process has counted or the store has issued: writing this over a claim writes its token out. */
    String text() {
        return text(beginning().add("token", token));
    }

    /** Without the token, which the store issues with this very write. */
    String textToBeIssued(int era, long last) {
        return text(beginning().add("era", era).add("last", last));
    }

    private RecordCodec.Lines beginning() {
        return CODEC.lines().add("election", election.value()).add("state", state);
    }

    private String text(RecordCodec.Lines lines) {
        return lines.add("nonce", nonce)
                .add("session", by.session)
                .add("holder", by.name)
                .add("ttlMillis", by.ttl.toMillis())
                .add("sinceMillis", by.since.toEpochMilli())
                .addAll("card.", by.metadata.entries())
                .text();
    }

    /** @param issued the token that the write of this record issued in this era */
    static ClaimRecord of(Versioned stored, IntToLongFunction issued) {
        return CODEC.read("record " + stored.key(), stored.value(), fields -> {
            ElectionName election = ElectionName.of(fields.text("election"));
            if (!key(election).equals(stored.key())) {
                throw new IllegalArgumentException("it is the record of election '" + election + "'");
            }
            State state = fields.oneOf("state", State.class);
            long token;
            if (fields.has("era")) {
                long last = fields.number("last", 0, Long.MAX_VALUE);
                token = issued.applyAsLong((int) fields.number("era", 0, FencingToken.ERA_MAX));
                if (token <= last) {
                    state = State.VACANT;
                    token = last;
                }
            } else {
                token = fields.number("token", state == State.HELD ? 1 : 0, Long.MAX_VALUE);
            }
            Holder by = new Holder(
                    fields.text("session"),
                    fields.text("holder"),
                    fields.ttlMillis("ttlMillis"),
                    fields.epochMillis("sinceMillis"),
                    new LeaderMetadata(fields.under("card.")));
            return new ClaimRecord(election, token, Nonce.parse(fields.text("nonce")), state, by);
        });
    }
}
