// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/** JSON, as far as Consul's needs it. */
final class JsonText {
    private static final JsonFactory FACTORY = new JsonFactory();

    private JsonText() {}

    /** An object of these names and values, in turn. Texts are quoted, all else stands as it is. */
    static String object(Object... namesAndValues) {
        StringJoiner fields = new StringJoiner(",", "{", "}");
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.add(quoted(namesAndValues[i]) + ":" + quoted(namesAndValues[i + 1]));
        }
        return fields.toString();
    }

    private static String quoted(Object value) {
        return value instanceof String text
                ? '"' + new String(JsonStringEncoder.getInstance().quoteAsString(text)) + '"'
                : value.toString();
    }

    /**
     * Every object, in the order of their ends, with those of its fields that are texts or numbers.
     *
     * @throws IOException if it is no JSON
     */
    static List<Map<String, String>> objects(byte[] json) throws IOException {
        List<Map<String, String>> all = new ArrayList<>();
        Deque<Map<String, String>> open = new ArrayDeque<>();
        try (JsonParser in = FACTORY.createParser(json)) {
            for (JsonToken token = in.nextToken(); token != null; token = in.nextToken()) {
                if (token == JsonToken.START_OBJECT) {
                    open.push(new HashMap<>());
                } else if (token == JsonToken.END_OBJECT) {
                    all.add(open.pop());
                } else if (token.isScalarValue() && token != JsonToken.VALUE_NULL && in.currentName() != null) {
                    open.element().put(in.currentName(), in.getText());
                }
            }
        }
        return all;
    }
}
