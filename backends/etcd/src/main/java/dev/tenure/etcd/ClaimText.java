package dev.tenure.etcd;

import dev.tenure.Card;
import dev.tenure.Nonce;
import dev.tenure.spi.ClaimRequest;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The value of a candidate's key. Peers of other makes write whatever they like there, and are candidates all the same. */
record ClaimText(Nonce nonce, String holder, Instant since, Card card) {
    private static final String HEADING = "tenure claim 1";

    static String text(ClaimRequest request, Instant now) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("nonce", request.nonce().toString());
        fields.put("holder", request.holder());
        fields.put("sinceMillis", Long.toString(now.toEpochMilli()));
        request.card().entries().forEach((name, value) -> fields.put("card." + name, value));
        return Fields.write(HEADING, fields);
    }

    /** Empty if it was not written by Tenure. */
    static Optional<ClaimText> of(KeyValue entry) {
        return Fields.read(HEADING, entry.value()).flatMap(fields -> {
            try {
                return Optional.of(new ClaimText(
                        Nonce.parse(fields.text("nonce")),
                        fields.text("holder"),
                        Instant.ofEpochMilli(fields.number("sinceMillis", Long.MIN_VALUE, Long.MAX_VALUE)),
                        new Card(fields.under("card."))));
            } catch (IllegalArgumentException foreign) {
                return Optional.empty();
            }
        });
    }
}
