// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import java.util.Locale;

/** Text that came from outside, made safe to show: no control characters, no endless lines. */
final class Text {
    private Text() {}

    /** A lone surrogate has no UTF-8 form: it would turn into '?' and make two different texts one. */
    static boolean isWellFormed(String text) {
        return text.codePoints().noneMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
    }

    static String printable(String text, int charsMax) {
        StringBuilder shown = new StringBuilder();
        text.codePoints().limit(charsMax).forEach(c -> {
            boolean plain = !Character.isISOControl(c) && Character.getType(c) != Character.FORMAT;
            if (plain) {
                shown.appendCodePoint(c);
            } else {
                shown.append(String.format(Locale.ROOT, "\\u%04x", c));
            }
        });
        return text.codePointCount(0, text.length()) > charsMax ? shown + "…" : shown.toString();
    }
}
