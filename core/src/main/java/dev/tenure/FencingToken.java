// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import java.util.regex.Pattern;

/**
 * A number that grows over every term of an election, over restarts, deletions and restores. A resource that remembers
 * the highest token it has seen can refuse a leader whose time has passed.
 *
 * <p>One positive long: the high 15 bits are the era of the store, the low 48 bits the sequence. It travels as a decimal
 * string, because JSON numbers and Lua numbers are doubles and compare wrongly above 2^53.
 */
public record FencingToken(long value) implements Comparable<FencingToken> {
    /** How many bits of a token are its sequence. */
    public static final int SEQUENCE_BITS = 48;
    /** The highest sequence within an era. */
    public static final long SEQUENCE_MAX = (1L << SEQUENCE_BITS) - 1;
    /** The highest era. */
    public static final int ERA_MAX = (1 << 15) - 1;

    private static final Pattern CANONICAL = Pattern.compile("[1-9][0-9]{0,18}");

    /** Refuses what is not positive. */
    public FencingToken {
        if (value <= 0) {
            throw new IllegalArgumentException("a fencing token is positive, got " + value);
        }
    }

    /** The token of this era and sequence; {@link IllegalArgumentException} if one is out of its range. */
    public static FencingToken of(int era, long sequence) {
        if (era < 0 || era > ERA_MAX) {
            throw new IllegalArgumentException("era " + era + " is outside 0.." + ERA_MAX);
        }
        if (sequence < 0 || sequence > SEQUENCE_MAX) {
            throw new IllegalArgumentException("sequence " + sequence + " is outside 0.." + SEQUENCE_MAX);
        }
        return new FencingToken(((long) era << SEQUENCE_BITS) | sequence);
    }

    /** Accepts canonical decimal only: 1 to 19 ASCII digits, no sign, no leading zero, at most 2^63 − 1. */
    public static FencingToken parse(String text) {
        if (!CANONICAL.matcher(text).matches()) {
            throw new IllegalArgumentException("not a fencing token: '" + Text.printable(text, 40)
                    + "' (1 to 19 decimal digits, no leading zero)");
        }
        try {
            return new FencingToken(Long.parseLong(text));
        } catch (NumberFormatException tooLarge) {
            throw new IllegalArgumentException(
                    "not a fencing token: " + text + " is above " + Long.MAX_VALUE, tooLarge);
        }
    }

    /** The high 15 bits. An operator raises it after a restore, or the engine where a store has gone back. */
    public int era() {
        return (int) (value >>> SEQUENCE_BITS);
    }

    /** The low 48 bits: a revision of the store, or a number that was counted. */
    public long sequence() {
        return value & SEQUENCE_MAX;
    }

    /** Does this token belong to a later term of the same election? */
    public boolean isNewerThan(FencingToken other) {
        return value > other.value;
    }

    @Override
    public int compareTo(FencingToken other) {
        return Long.compare(value, other.value);
    }

    /** The canonical decimal form, which {@link #parse} reads back. */
    @Override
    public String toString() {
        return Long.toString(value);
    }
}
