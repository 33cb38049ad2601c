package dev.tenure.consul;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** JSON as maps, lists, texts and numbers; and values in Base64, as Consul wants them inside. */
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

    /** @throws IOException if it is no JSON */
    static @Nullable Object read(byte[] bytes) throws IOException {
        try (JsonParser in = FACTORY.createParser(bytes)) {
            in.nextToken();
            return read(in);
        }
    }

    private static @Nullable Object read(JsonParser in) throws IOException {
        JsonToken token = in.currentToken();
        if (token == JsonToken.START_OBJECT) {
            Map<String, @Nullable Object> object = new LinkedHashMap<>();
            while (in.nextToken() == JsonToken.FIELD_NAME) {
                String name = in.currentName();
                in.nextToken();
                object.put(name, read(in));
            }
            return object;
        }
        if (token == JsonToken.START_ARRAY) {
            List<@Nullable Object> list = new ArrayList<>();
            while (in.nextToken() != JsonToken.END_ARRAY) {
                list.add(read(in));
            }
            return list;
        }
        if (token == JsonToken.VALUE_NULL || token == null) {
            return null;
        }
        return token == JsonToken.VALUE_NUMBER_INT ? in.getBigIntegerValue() : in.getText();
    }

    static String encoded(String value) {
        return Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8));
    }

    static String decoded(String value) {
        return new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8);
    }
}
