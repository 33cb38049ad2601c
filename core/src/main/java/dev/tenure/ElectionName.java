package dev.tenure;

import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Objects;

/**
 * The name of an election: any text of up to 200 bytes of UTF-8 in Unicode's NFC form, without control characters.
 *
 * <p>{@link #encoded()} is the one spelling that every backend uses. It is injective, and it is a single path segment:
 * without {@code /}, never {@code .} or {@code ..}, without upper case (some stores fold it). So no name can be a path
 * prefix of another, and no two names can share a key.
 */
public record ElectionName(String value) implements Comparable<ElectionName> {
    /** How many bytes a name may have in UTF-8. */
    public static final int BYTES_MAX = 200;

    /** Refuses a name that no store could keep; the message says what is wrong with it. */
    public ElectionName {
        Objects.requireNonNull(value, "election is null: an election needs a name");
        if (!isPlain(value)) {
            value = Normalizer.normalize(value, Normalizer.Form.NFC);
            check(value);
        }
    }

    /** Printable ASCII of a fitting length needs neither normalising nor further checks; nearly every name is. */
    private static boolean isPlain(String value) {
        boolean plain = !value.isEmpty() && value.length() <= BYTES_MAX;
        for (int i = 0; plain && i < value.length(); i++) {
            plain = value.charAt(i) >= ' ' && value.charAt(i) <= '~';
        }
        return plain;
    }

    private static void check(String value) {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("an election needs a name");
        }
        int bytes = value.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > BYTES_MAX) {
            throw new IllegalArgumentException("election name '" + Text.printable(value, 40) + "' has " + bytes
                    + " bytes of UTF-8, at most " + BYTES_MAX + " are allowed");
        }
        if (value.codePoints().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "election name '" + Text.printable(value, 40) + "' contains a control character");
        }
        if (!Text.isWellFormed(value)) {
            throw new IllegalArgumentException(
                    "election name '" + Text.printable(value, 40) + "' contains half of a surrogate pair");
        }
    }

    /** The election of this name; {@link IllegalArgumentException} if it is no name. */
    public static ElectionName of(String value) {
        return new ElectionName(value);
    }

    /** Lower-case letters, digits, {@code _}, {@code -} and inner dots stay; every other byte becomes {@code %xx}. */
    public String encoded() {
        return encode(value);
    }

    /** The same for any text. */
    static String encode(String text) {
        StringBuilder key = new StringBuilder(text.length() + 8);
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            boolean plain = (b >= 'a' && b <= 'z') || (b >= '0' && b <= '9') || b == '_' || b == '-';
            if (plain || (b == '.' && key.length() > 0)) {
                key.append((char) b);
            } else {
                key.append('%').append(Character.forDigit((b >> 4) & 0xf, 16)).append(Character.forDigit(b & 0xf, 16));
            }
        }
        return key.toString();
    }

    /** The inverse of {@link #encoded()}; refuses every text that {@code encoded()} does not produce. */
    public static ElectionName decode(String encoded) {
        byte[] bytes = new byte[encoded.length()];
        int size = 0;
        for (int i = 0; i < encoded.length(); i++) {
            char c = encoded.charAt(i);
            if (c == '%' && i + 2 < encoded.length()) {
                bytes[size++] = (byte) ((digit(encoded, i + 1) << 4) | digit(encoded, i + 2));
                i += 2;
            } else {
                bytes[size++] = (byte) c;
            }
        }
        ElectionName name = new ElectionName(new String(bytes, 0, size, StandardCharsets.UTF_8));
        if (!name.encoded().equals(encoded)) {
            throw new IllegalArgumentException("'" + Text.printable(encoded, 80) + "' is not the key of an election");
        }
        return name;
    }

    private static int digit(String text, int at) {
        int digit = Character.digit(text.charAt(at), 16);
        if (digit < 0) {
            throw new IllegalArgumentException("'" + Text.printable(text, 80) + "' is not the key of an election");
        }
        return digit;
    }

    @Override
    public int compareTo(ElectionName other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
