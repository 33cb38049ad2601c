package dev.tenure.etcd;

import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The last term of an election that a Tenure candidate has led, written in the very transaction that granted it, and again
 * when it was released. It outlives its holder, so that observers know the highest token, and a successor knows whether its
 * predecessor let go by itself.
 *
 * @param sequence the create revision of its holder's key
 * @param since for showing to people: by the holder's wall clock
 * @param ttl for how long a holder that vanished may still believe
 */
record TermRecord(boolean held, int era, long sequence, Nonce nonce, Duration ttl, Instant since) {
    private static final String HEADING = "tenure term 1";
    private static final long TTL_MILLIS_MAX = Duration.ofDays(1).toMillis();

    FencingToken token() {
        return FencingToken.of(era, sequence);
    }

    TermRecord released() {
        return new TermRecord(false, era, sequence, nonce, ttl, since);
    }

    /** A transaction does not know its own revision: the record that it writes leaves the sequence out. */
    static String textOfThisRevision(int era, Nonce nonce, Duration ttl, Instant since) {
        return Fields.write(HEADING, new TermRecord(true, era, 0, nonce, ttl, since).fields());
    }

    String text() {
        Map<String, String> fields = fields();
        fields.put("sequence", Long.toString(sequence));
        return Fields.write(HEADING, fields);
    }

    private Map<String, String> fields() {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("state", held ? "HELD" : "VACANT");
        fields.put("era", Integer.toString(era));
        fields.put("nonce", nonce.toString());
        fields.put("ttlMillis", Long.toString(ttl.toMillis()));
        fields.put("sinceMillis", Long.toString(since.toEpochMilli()));
        return fields;
    }

    /** Empty if it cannot be read: it decides nothing, so a damaged one stops nobody. */
    static Optional<TermRecord> of(KeyValue stored) {
        return Fields.read(HEADING, stored.value()).flatMap(fields -> {
            try {
                long sequence = fields.has("sequence")
                        ? fields.number("sequence", 1, FencingToken.SEQUENCE_MAX)
                        : stored.modRevision();
                return Optional.of(new TermRecord(
                        fields.text("state").equals("HELD"),
                        (int) fields.number("era", 0, FencingToken.ERA_MAX),
                        sequence,
                        Nonce.parse(fields.text("nonce")),
                        Duration.ofMillis(fields.number("ttlMillis", 1, TTL_MILLIS_MAX)),
                        Instant.ofEpochMilli(fields.number("sinceMillis", Long.MIN_VALUE, Long.MAX_VALUE))));
            } catch (IllegalArgumentException damaged) {
                return Optional.empty();
            }
        });
    }
}
