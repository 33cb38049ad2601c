// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi.support;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.Versioned;
import java.util.Optional;

/** An operator's request, obeyed by the holder of exactly that token and then removed. An election has one at most. */
public final class RequestRecord {
    /** What the keys of requests begin with in a {@link dev.tenure.spi.LeaseStore}. */
    public static final String PREFIX = "o/";

    private static final RecordCodec CODEC = new RecordCodec("tenure request 1");

    private RequestRecord() {}

    /** The key of the request for this election in a {@link dev.tenure.spi.LeaseStore}. */
    public static String key(ElectionName election) {
        return PREFIX + election.encoded();
    }

    /** The text of the record. */
    public static String text(OperatorRequest request) {
        return CODEC.lines()
                .add("election", request.election().value())
                .add("verb", request.verb().name())
                .add("token", request.token())
                .add("by", request.by())
                .text();
    }

    /** Empty if the text is no request: one that is damaged must not hide the others. */
    public static Optional<OperatorRequest> find(String text) {
        return CODEC.find(text, RequestRecord::request);
    }

    /** @throws dev.tenure.spi.BackendException if it is no request, or one for an election with another key */
    public static OperatorRequest of(Versioned stored) {
        return CODEC.read("record " + stored.key(), stored.value(), fields -> {
            OperatorRequest request = request(fields);
            if (!key(request.election()).equals(stored.key())) {
                throw new IllegalArgumentException("it is a request for election '" + request.election() + "'");
            }
            return request;
        });
    }

    private static OperatorRequest request(RecordCodec.Fields fields) {
        return new OperatorRequest(
                ElectionName.of(fields.text("election")),
                fields.oneOf("verb", OperatorRequest.Verb.class),
                FencingToken.parse(fields.text("token")),
                fields.text("by"));
    }
}
