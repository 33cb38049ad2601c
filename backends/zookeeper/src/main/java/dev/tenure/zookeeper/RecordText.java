package dev.tenure.zookeeper;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The text of a znode: a first line with kind and version, then one {@code key=value} a line, each part percent-encoded.
 * Readable in any client, and impossible to forge a line in.
 */
record RecordText(Map<String, String> fields) {
    private static final int CHARS_MAX = 64 * 1024;

    RecordText {
        fields = new LinkedHashMap<>(fields);
    }

    byte[] encode(String heading) {
        StringBuilder text = new StringBuilder(heading).append('\n');
        fields.forEach((name, value) -> text.append(encodePart(name))
                .append('=')
                .append(encodePart(value))
                .append('\n'));
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Empty if this is not a record with this heading: peers write data of their own. */
    static Optional<RecordText> decode(String heading, String text) {
        if (text.length() > CHARS_MAX) {
            return Optional.empty();
        }
        if (!text.startsWith(heading + "\n")) {
            return Optional.empty();
        }
        Map<String, String> fields = new LinkedHashMap<>();
        try {
            int from = heading.length() + 1;
            while (from < text.length()) {
                int newline = text.indexOf('\n', from);
                int to = newline < 0 ? text.length() : newline;
                int equals = text.indexOf('=', from);
                if (equals > from && equals < to) {
                    fields.put(decode(text.substring(from, equals)), decode(text.substring(equals + 1, to)));
                }
                from = to + 1;
            }
        } catch (IllegalArgumentException notEncoded) {
            return Optional.empty();
        }
        return Optional.of(new RecordText(fields));
    }

    private static String encodePart(String part) {
        return isPlain(part) ? part : URLEncoder.encode(part, StandardCharsets.UTF_8);
    }

    /** Mostly nothing is to be encoded, and there are thousands of records. */
    private static boolean isPlain(String part) {
        for (int i = 0; i < part.length(); i++) {
            char c = part.charAt(i);
            boolean plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
            if (!plain) {
                return false;
            }
        }
        return true;
    }

    private static String decode(String part) {
        boolean plain = part.indexOf('%') < 0 && part.indexOf('+') < 0;
        return plain ? part : URLDecoder.decode(part, StandardCharsets.UTF_8);
    }

    /** @throws IllegalArgumentException if there is no such field */
    String text(String name) {
        String value = fields.get(name);
        if (value == null) {
            throw new IllegalArgumentException("'" + name + "' is missing");
        }
        return value;
    }

    /** @throws IllegalArgumentException if there is no such field, or no number in it */
    long number(String name) {
        return Long.parseLong(text(name));
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
}
