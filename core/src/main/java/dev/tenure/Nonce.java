// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import java.util.HexFormat;

/**
 * 128 random bits, new for every attempt to claim. Two holders that were handed the same number (a store that lost its
 * last writes can do that) are still told apart by it.
 */
public record Nonce(long high, long low) {
    private static final int HEX_DIGITS = 32;

    /** The nonce of 32 hexadecimal digits; {@link IllegalArgumentException} if the text is anything else. */
    public static Nonce parse(String hex) {
        if (hex.length() != HEX_DIGITS || !hex.chars().allMatch(c -> "0123456789abcdef".indexOf(c) >= 0)) {
            throw new IllegalArgumentException("not a nonce: '" + Text.printable(hex, 40) + "' (32 hex digits)");
        }
        return new Nonce(Long.parseUnsignedLong(hex, 0, 16, 16), Long.parseUnsignedLong(hex, 16, HEX_DIGITS, 16));
    }

    @Override
    public String toString() {
        return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
    }
}
