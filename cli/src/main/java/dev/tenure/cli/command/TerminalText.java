// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.command;

import java.util.HexFormat;

/** Text that came from outside, made safe for a terminal: nothing that could move the cursor, forge a line or hide. */
public final class TerminalText {
    private static final HexFormat HEX = HexFormat.of();

    private TerminalText() {}

    public static String line(String text) {
        return line(text, Integer.MAX_VALUE);
    }

    public static String line(String text, int charsMax) {
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints().limit(charsMax).forEach(c -> append(c, shown));
        return text.codePointCount(0, text.length()) > charsMax
                ? shown.append('…').toString()
                : shown.toString();
    }

    /** Escaped, if it is not plain, as in JSON and Java: four digits, and twice for what lies beyond. */
    static void append(int codePoint, StringBuilder out) {
        if (isPlain(codePoint)) {
            out.appendCodePoint(codePoint);
            return;
        }
        for (char c : Character.toChars(codePoint)) {
            out.append("\\u").append(HEX.toHexDigits(c));
        }
    }

    /** Letters, signs and blanks; not controls, invisible marks (which turn the direction, say), or half a character. */
    private static boolean isPlain(int c) {
        if (c >= ' ' && c < 0x7f) {
            return true;
        }
        int type = Character.getType(c);
        return type != Character.CONTROL
                && type != Character.FORMAT
                && type != Character.SURROGATE
                && type != Character.LINE_SEPARATOR
                && type != Character.PARAGRAPH_SEPARATOR
                && type != Character.UNASSIGNED;
    }
}
