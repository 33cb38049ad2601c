package dev.tenure.simulator.store;

import dev.tenure.Nonce;

/** What stands in a claim record, read from its text. */
record ClaimText(boolean held, String session, Nonce nonce, long token) {
    private static final String HEADING = "tenure claim ";
    /** What no version of Tenure has written. */
    static final ClaimText GARBAGE = new ClaimText(false, "", new Nonce(0, 0), 0);

    static ClaimText of(String text) {
        if (!text.startsWith(HEADING)) {
            return GARBAGE;
        }
        return new ClaimText(
                field(text, "state").equals("HELD"),
                field(text, "session"),
                Nonce.parse(field(text, "nonce")),
                Long.parseLong(field(text, "token")));
    }

    static String field(String text, String name) {
        int start = text.indexOf("\n" + name + "=");
        if (start < 0) {
            throw new IllegalStateException("no field " + name + " in: " + text);
        }
        int from = start + name.length() + 2;
        return text.substring(from, text.indexOf('\n', from));
    }
}
