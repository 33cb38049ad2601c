package dev.tenure.etcd;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.spi.OperatorRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** An operator's request, obeyed by the holder of exactly that token and then removed. */
final class RequestRecord {
    private static final String HEADING = "tenure request 1";

    private RequestRecord() {}

    static String text(OperatorRequest request) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("election", request.election().value());
        fields.put("verb", request.verb().name());
        fields.put("token", request.token().toString());
        fields.put("by", request.by());
        return Fields.write(HEADING, fields);
    }

    /** Empty if it cannot be read: one damaged request must not hide the others. */
    static Optional<OperatorRequest> of(KeyValue stored) {
        return Fields.read(HEADING, stored.value()).flatMap(fields -> {
            try {
                return Optional.of(new OperatorRequest(
                        ElectionName.of(fields.text("election")),
                        OperatorRequest.Verb.valueOf(fields.text("verb")),
                        FencingToken.parse(fields.text("token")),
                        fields.text("by")));
            } catch (IllegalArgumentException damaged) {
                return Optional.empty();
            }
        });
    }
}
