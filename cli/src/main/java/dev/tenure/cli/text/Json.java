package dev.tenure.cli.text;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    public static String text(Map<String, ?> object) {
        StringBuilder out = new StringBuilder();
        write(object, out);
        return out.toString();
    }

    private static void write(@Nullable Object value, StringBuilder out) {
        if (value instanceof Optional<?> optional) {
            write(optional.orElse(null), out);
        } else if (value instanceof Map<?, ?> object) {
            writeObject(object, out);
        } else if (value instanceof List<?> list) {
            String separator = "";
            out.append('[');
            for (Object element : list) {
                out.append(separator);
                write(element, out);
                separator = ",";
            }
            out.append(']');
        } else if (value == null || value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else {
            writeString(value.toString(), out);
        }
    }

    private static void writeObject(Map<?, ?> object, StringBuilder out) {
        String separator = "";
        out.append('{');
        for (Map.Entry<?, ?> entry : object.entrySet()) {
            out.append(separator);
            writeString(String.valueOf(entry.getKey()), out);
            out.append(':');
            write(entry.getValue(), out);
            separator = ",";
        }
        out.append('}');
    }

    private static void writeString(String text, StringBuilder out) {
        out.append('"');
        text.codePoints().forEach(c -> {
            if (c == '"' || c == '\\') {
                out.append('\\').append((char) c);
            } else if (c == '\n') {
                out.append("\\n");
            } else if (Printable.isPlain(c)) {
                out.appendCodePoint(c);
            } else {
                Printable.escape(c, out);
            }
        });
        out.append('"');
    }
}
