// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import java.net.URLDecoder;
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
        value = Normalizer.normalize(value, Normalizer.Form.NFC);
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
        try {
            ElectionName name = new ElectionName(URLDecoder.decode(encoded, StandardCharsets.UTF_8));
            if (name.encoded().equals(encoded)) {
                return name;
            }
        } catch (IllegalArgumentException noName) {
            // Then it is no key either.
        }
        throw new IllegalArgumentException("'" + Text.printable(encoded, 80) + "' is not the key of an election");
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
