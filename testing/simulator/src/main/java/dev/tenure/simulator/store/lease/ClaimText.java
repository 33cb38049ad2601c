// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store.lease;

import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.spi.Versioned;

/** What stands in a claim record, read from its text. */
record ClaimText(boolean held, String session, Nonce nonce, long token) {
    private static final String HEADING = "tenure claim ";
    /** What no version of Tenure has written. */
    static final ClaimText GARBAGE = new ClaimText(false, "", new Nonce(0, 0), 0);

    /** @param number of the write that made it; 0 if it has not been made yet */
    static ClaimText of(String text, long number) {
        if (!text.startsWith(HEADING)) {
            return GARBAGE;
        }
        boolean held = field(text, "state").equals("HELD");
        String session = field(text, "session");
        Nonce nonce = Nonce.parse(field(text, "nonce"));
        if (!text.contains("\nera=")) {
            return new ClaimText(held, session, nonce, Long.parseLong(field(text, "token")));
        }
        long last = Long.parseLong(field(text, "last"));
        if (number == 0) {
            return new ClaimText(held, session, nonce, 0);
        }
        long token =
                FencingToken.of(Integer.parseInt(field(text, "era")), number).value();
        return new ClaimText(held && token > last, session, nonce, Math.max(token, last));
    }

    static ClaimText of(Versioned stored) {
        return of(stored.value(), LeaseServer.numberOf(stored.version().orElseThrow()));
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
