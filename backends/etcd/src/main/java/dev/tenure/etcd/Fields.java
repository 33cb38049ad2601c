package dev.tenure.etcd;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The text of a record: a first line with kind and version, then one {@code name=value} a line, each part percent-encoded.
 * Readable with {@code etcdctl get}, and impossible to forge a line in.
 */
final class Fields {
    private static final int CHARS_MAX = 64 * 1024;

    private final Map<String, String> fields;

    private Fields(Map<String, String> fields) {
        this.fields = fields;
    }

    static String write(String heading, Map<String, String> fields) {
        StringBuilder text = new StringBuilder(heading).append('\n');
        fields.forEach((name, value) ->
                text.append(encode(name)).append('=').append(encode(value)).append('\n'));
        return text.toString();
    }

    /** Empty if the text is not a record of this kind. */
    static Optional<Fields> read(String heading, String text) {
        if (text.length() > CHARS_MAX || !text.startsWith(heading + "\n") || !text.endsWith("\n")) {
            return Optional.empty();
        }
        Map<String, String> fields = new LinkedHashMap<>();
        for (String line : text.substring(heading.length() + 1).split("\n")) {
            int equals = line.indexOf('=');
            if (equals < 1) {
                return Optional.empty();
            }
            try {
                fields.put(decode(line.substring(0, equals)), decode(line.substring(equals + 1)));
            } catch (IllegalArgumentException broken) {
                return Optional.empty();
            }
        }
        return Optional.of(new Fields(fields));
    }

    boolean has(String name) {
        return fields.containsKey(name);
    }

    /** @throws IllegalArgumentException if it is missing */
    String text(String name) {
        String value = fields.get(name);
        if (value == null) {
            throw new IllegalArgumentException("'" + name + "' is missing");
        }
        return value;
    }

    /** @throws IllegalArgumentException if it is missing or not a number in this range */
    long number(String name, long min, long max) {
        long number = Long.parseLong(text(name));
        if (number < min || number > max) {
            throw new IllegalArgumentException("'" + name + "' is outside " + min + ".." + max);
        }
        return number;
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

    private static String encode(String part) {
        return URLEncoder.encode(part, StandardCharsets.UTF_8);
    }

    private static String decode(String part) {
        return part.indexOf('%') < 0 && part.indexOf('+') < 0 ? part : URLDecoder.decode(part, StandardCharsets.UTF_8);
    }
}
