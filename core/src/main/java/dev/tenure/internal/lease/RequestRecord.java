package dev.tenure.internal.lease;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.Versioned;
import java.util.LinkedHashMap;
import java.util.Map;

/** {@code o/<election>}: an operator's request, obeyed by the holder of exactly that token and then removed. */
final class RequestRecord {
    private static final String HEADING = "tenure request 1";
    static final String PREFIX = "o/";

    private RequestRecord() {}

    static String key(ElectionName election) {
        return PREFIX + election.encoded();
    }

    static String text(OperatorRequest request) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("election", request.election().value());
        fields.put("verb", request.verb().name());
        fields.put("token", request.token().toString());
        fields.put("by", request.by());
        return RecordText.write(HEADING, fields);
    }

    static OperatorRequest of(Versioned stored) {
        RecordText text = RecordText.read(stored.key(), HEADING, stored.value());
        try {
            ElectionName election = ElectionName.of(text.text("election"));
            if (!key(election).equals(stored.key())) {
                throw RecordText.corrupt(stored.key(), "it is a request for election '" + election + "'");
            }
            return new OperatorRequest(
                    election,
                    text.oneOf("verb", OperatorRequest.Verb.class),
                    FencingToken.parse(text.text("token")),
                    text.text("by"));
        } catch (IllegalArgumentException invalid) {
            throw RecordText.corrupt(stored.key(), String.valueOf(invalid.getMessage()));
        }
    }
}
