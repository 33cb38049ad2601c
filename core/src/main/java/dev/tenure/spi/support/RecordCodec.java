// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi.support;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Records as text: a first line with kind and version, then one {@code name=value} a line, each part percent-encoded. People
 * can read it in any client of the store, and no value can forge a line.
 *
 * <p>A text that is read may be damaged, or another program may have written it. {@link #read} refuses such a text and says
 * where it stands; {@link #find} is for places where others may write as well. Immutable.
 */
public final class RecordCodec {
    private static final int CHARS_MAX = 64 * 1024;

    private final String heading;

    /** @param heading kind and version, such as {@code tenure era 1} */
    public RecordCodec(String heading) {
        this.heading = heading;
    }

    /** Begins the text of a record. */
    public Lines lines() {
        return new Lines(heading);
    }

    /**
     * Reads a record that nobody but Tenure writes.
     *
     * @param where names the record for people, such as {@code key tenure/e}
     * @param form makes a value of the fields, and throws {@link IllegalArgumentException} if that cannot be
     * @throws BackendException if the text is no such record
     */
    public <T> T read(String where, String text, Function<Fields, T> form) {
        try {
            return form.apply(fields(text));
        } catch (IllegalArgumentException damaged) {
            throw new BackendException(
                    Effect.NONE,
                    Kind.CORRUPT,
                    where + " was not written by this version of Tenure: " + damaged.getMessage()
                            + ". Nothing was changed; look at it, and remove it if it is not wanted",
                    damaged);
        }
    }

    /** Reads a record where others may write as well; empty if the text is none. */
    public <T> Optional<T> find(String text, Function<Fields, T> form) {
        if (!text.startsWith(heading + "\n")) {
            return Optional.empty();
        }
        try {
            return Optional.of(form.apply(fields(text)));
        } catch (IllegalArgumentException damaged) {
            return Optional.empty();
        }
    }

    private Fields fields(String text) {
        if (text.length() > CHARS_MAX || !text.startsWith(heading + "\n") || !text.endsWith("\n")) {
            throw new IllegalArgumentException("it does not begin with '" + heading + "', or has no end");
        }
        Map<String, String> fields = new LinkedHashMap<>();
        int from = heading.length() + 1;
        while (from < text.length()) {
            int to = text.indexOf('\n', from);
            int equals = text.indexOf('=', from);
            if (equals <= from || equals > to) {
                throw new IllegalArgumentException("a line has no '='");
            }
            String name = decode(text.substring(from, equals));
            if (fields.put(name, decode(text.substring(equals + 1, to))) != null) {
                throw new IllegalArgumentException("'" + name + "' stands twice");
            }
            from = to + 1;
        }
        return new Fields(fields);
    }

    private static String decode(String part) {
        try {
            return URLDecoder.decode(part, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException broken) {
            throw new IllegalArgumentException("a value is not encoded properly", broken);
        }
    }

    /** A record that is being written. */
    public static final class Lines {
        private final StringBuilder text;

        private Lines(String heading) {
            this.text = new StringBuilder(heading).append('\n');
        }

        /** Adds one line. */
        public Lines add(String name, Object value) {
            text.append(encoded(name))
                    .append('=')
                    .append(encoded(value.toString()))
                    .append('\n');
            return this;
        }

        /** One line for each entry, whose names begin with this prefix. */
        public Lines addAll(String prefix, Map<String, String> entries) {
            entries.forEach((name, value) -> add(prefix + name, value));
            return this;
        }

        private static String encoded(String part) {
            return URLEncoder.encode(part, StandardCharsets.UTF_8);
        }

        /** The whole record. */
        public String text() {
            return text.toString();
        }
    }

    /** A record that was read. Every method throws {@link IllegalArgumentException} if it does not hold what is asked for. */
    public static final class Fields {
        private static final long TTL_MILLIS_MAX = Duration.ofHours(24).toMillis();

        private final Map<String, String> fields;

        private Fields(Map<String, String> fields) {
            this.fields = fields;
        }

        /** Is there a field of this name? */
        public boolean has(String name) {
            return fields.containsKey(name);
        }

        /** The text of this field. */
        public String text(String name) {
            String value = fields.get(name);
            if (value == null) {
                throw new IllegalArgumentException("'" + name + "' is missing");
            }
            return value;
        }

        /** A number within these bounds, both included. */
        public long number(String name, long min, long max) {
            long number;
            try {
                number = Long.parseLong(text(name));
            } catch (NumberFormatException notANumber) {
                throw new IllegalArgumentException("'" + name + "' is not a number", notANumber);
            }
            if (number < min || number > max) {
                throw new IllegalArgumentException("'" + name + "' is outside " + min + ".." + max);
            }
            return number;
        }

        /** A TTL of at most a day: a record that claims to live for years is an attack or an accident, not a lease. */
        public Duration ttlMillis(String name) {
            return Duration.ofMillis(number(name, 1, TTL_MILLIS_MAX));
        }

        /** A time, written as milliseconds since 1970. */
        public Instant epochMillis(String name) {
            return Instant.ofEpochMilli(number(name, Long.MIN_VALUE, Long.MAX_VALUE));
        }

        /** A word that this version does not know is not guessed at. */
        public <E extends Enum<E>> E oneOf(String name, Class<E> words) {
            String word = text(name);
            for (E known : words.getEnumConstants()) {
                if (known.name().equals(word)) {
                    return known;
                }
            }
            throw new IllegalArgumentException("'" + name + "' has an unknown value");
        }

        /** Every field whose name begins with this prefix, without it. */
        public Map<String, String> under(String prefix) {
            Map<String, String> some = new LinkedHashMap<>();
            fields.forEach((name, value) -> {
                if (name.startsWith(prefix)) {
                    some.put(name.substring(prefix.length()), value);
                }
            });
            return some;
        }
    }
}
