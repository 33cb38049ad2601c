// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.command;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes JSON on one line, from maps, lists, texts, numbers, booleans and optionals (an empty one is null). Beyond what
 * JSON demands, everything that could harm a terminal is escaped. Tokens must come as texts: JSON numbers are doubles.
 */
public final class Json {
    private Json() {}

    /** An object with its fields in this order: a name, its value, the next name and so on. */
    public static Map<String, Object> object(Object... namesAndValues) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return object;
    }

    public static String text(@Nullable Object value) {
        if (value instanceof Optional<?> optional) {
            return text(optional.orElse(null));
        }
        if (value instanceof Map<?, ?> object) {
            return object.entrySet().stream()
                    .map(field -> quoted(String.valueOf(field.getKey())) + ":" + text(field.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        if (value instanceof List<?> list) {
            return list.stream().map(Json::text).collect(Collectors.joining(",", "[", "]"));
        }
        return value == null || value instanceof Number || value instanceof Boolean
                ? String.valueOf(value)
                : quoted(value.toString());
    }

    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        text.codePoints().forEach(c -> {
            if (c == '"' || c == '\\') {
                out.append('\\').append((char) c);
            } else if (c == '\n') {
                out.append("\\n");
            } else {
                TerminalText.append(c, out);
            }
        });
        return out.append('"').toString();
    }
}
