package dev.tenure.internal.lease;

import dev.tenure.spi.BackendException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The text of a record: a first line with kind and version, then one {@code key=value} a line, each part
 * percent-encoded. Readable with {@code cat}, and impossible to forge a line in.
 */
final class RecordText {
    private static final int CHARS_MAX = 64 * 1024;
    private final String key;
    private final Map<String, String> fields;

    private RecordText(String key, Map<String, String> fields) {
        this.key = key;
        this.fields = fields;
    }

    static String write(String heading, Map<String, String> fields) {
        StringBuilder text = new StringBuilder(heading).append('\n');
        fields.forEach((name, value) ->
                text.append(encode(name)).append('=').append(encode(value)).append('\n'));
        return text.toString();
    }

    static RecordText read(String key, String heading, String text) {
        if (text.length() > CHARS_MAX || !text.startsWith(heading + "\n") || !text.endsWith("\n")) {
            throw corrupt(key, "it does not begin with '" + heading + "'");
        }
        Map<String, String> fields = new LinkedHashMap<>();
        for (String line : text.substring(heading.length() + 1).split("\n")) {
            int equals = line.indexOf('=');
            if (line.isEmpty()) {
                continue;
            }
            if (equals < 1) {
                throw corrupt(key, "a line has no '='");
            }
            String name = decode(key, line.substring(0, equals));
            if (fields.put(name, decode(key, line.substring(equals + 1))) != null) {
                throw corrupt(key, "'" + name + "' stands twice");
            }
        }
        return new RecordText(key, fields);
    }

    String text(String name) {
        String value = fields.get(name);
        if (value == null) {
            throw corrupt(key, "'" + name + "' is missing");
        }
        return value;
    }

    long number(String name, long min, long max) {
        try {
            long number = Long.parseLong(text(name));
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            throw corrupt(key, "'" + name + "' is not a number");
        }
        throw corrupt(key, "'" + name + "' is outside " + min + ".." + max);
    }

    /** A word that this version does not know is not guessed at. */
    <E extends Enum<E>> E oneOf(String name, Class<E> words) {
        String word = text(name);
        for (E known : words.getEnumConstants()) {
            if (known.name().equals(word)) {
                return known;
            }
        }
        throw corrupt(key, "'" + name + "' has an unknown value");
    }

    /** Every field whose name begins with this prefix, without it. */
    Map<String, String> under(String prefix) {
        Map<String, String> some = new LinkedHashMap<>();
        fields.forEach((name, value) -> {
            if (name.startsWith(prefix)) {
                some.put(name.substring(prefix.length()), value);
            }
        });
        return some;
    }

    static BackendException corrupt(String key, String problem) {
        return new BackendException(
                BackendException.Effect.NONE,
                BackendException.Kind.CORRUPT,
                "record " + key + " was not written by this version of Tenure: " + problem
                        + ". Nothing was changed; look at the record, and remove it if it is not wanted");
    }

    /** Most parts need no escaping, and records are read and written all the time. */
    private static boolean isPlain(String part) {
        for (int i = 0; i < part.length(); i++) {
            char c = part.charAt(i);
            boolean plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (!plain && c != '.' && c != '-' && c != '_' && c != '*') {
                return false;
            }
        }
        return true;
    }

    private static String encode(String part) {
        return isPlain(part) ? part : URLEncoder.encode(part, StandardCharsets.UTF_8);
    }

    private static String decode(String key, String part) {
        if (isPlain(part)) {
            return part;
        }
        try {
            return URLDecoder.decode(part, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException broken) {
            throw corrupt(key, "a value is not encoded properly");
        }
    }
}
