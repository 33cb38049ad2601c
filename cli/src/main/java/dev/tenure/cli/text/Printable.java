package dev.tenure.cli.text;

/** Text that came from outside, made safe for a terminal: nothing that could move the cursor, forge a line or hide. */
public final class Printable {
    private Printable() {}

    public static String line(String text) {
        return line(text, Integer.MAX_VALUE);
    }

    public static String line(String text, int charsMax) {
        StringBuilder shown = new StringBuilder(text.length());
        int count = 0;
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            if (count++ == charsMax) {
                return shown.append('…').toString();
            }
            int c = text.codePointAt(i);
            if (isPlain(c)) {
                shown.appendCodePoint(c);
            } else {
                escape(c, shown);
            }
        }
        return shown.toString();
    }

    /** Letters, signs and blanks; not controls, invisible marks (which turn the direction, say), or half a character. */
    static boolean isPlain(int c) {
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

    /** As in JSON and Java: four digits, and two of them for what lies beyond. */
    static void escape(int codePoint, StringBuilder out) {
        for (char c : Character.toChars(codePoint)) {
            out.append("\\u");
            for (int shift = 12; shift >= 0; shift -= 4) {
                out.append(Character.forDigit((c >> shift) & 0xf, 16));
            }
        }
    }
}
