package dev.tenure.etcd.claim;

import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.spi.support.RecordCodec;
import dev.tenure.spi.support.TermRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The last term of an election that a Tenure candidate has led, written in the very transaction that granted it, or right
 * after it, and again when it was released. Its owner is the nonce of the claim, its sequence the create revision of the holder's key.
 */
public final class TermCodec {
    private static final RecordCodec CODEC = new RecordCodec("tenure term 1");
    private static final String HELD = "HELD";

    private TermCodec() {}

    /** A transaction does not know its own revision: the record that it writes leaves the sequence out. */
    static String ofThisRevision(int era, Nonce nonce, Duration ttl, Instant since) {
        return lines(HELD, era, nonce.toString(), ttl, since).text();
    }

    static String text(TermRecord term) {
        String state = term.held() ? HELD : "VACANT";
        return lines(state, term.token().era(), term.owner(), term.ttl(), term.since())
                .add("sequence", term.token().sequence())
                .text();
    }

    private static RecordCodec.Lines lines(String state, int era, String nonce, Duration ttl, Instant since) {
        return CODEC.lines()
                .add("state", state)
                .add("era", era)
                .add("nonce", nonce)
                .add("ttlMillis", ttl.toMillis())
                .add("sinceMillis", since.toEpochMilli());
    }

    /** Empty if it cannot be read: it decides nothing, so a damaged one stops nobody. */
    public static Optional<TermRecord> find(KeyValue stored) {
        return CODEC.find(stored.value(), fields -> {
            long sequence = fields.has("sequence")
                    ? fields.number("sequence", 1, FencingToken.SEQUENCE_MAX)
                    : stored.modRevision();
            int era = (int) fields.number("era", 0, FencingToken.ERA_MAX);
            return new TermRecord(
                    FencingToken.of(era, sequence),
                    fields.text("state").equals(HELD),
                    Nonce.parse(fields.text("nonce")).toString(),
                    fields.ttlMillis("ttlMillis"),
                    fields.epochMillis("sinceMillis"));
        });
    }
}
