// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.ledger;

import dev.tenure.support.LineServer;

/**
 * A resource with a fence, in the campaign's own process, so that no fault of a candidate or a store touches it. One line a
 * request, each answered: {@code hello node nanos}, {@code raise node token nonce}, {@code write node token nonce deadline},
 * {@code begin node token nanos deadline}, {@code renewed node token deadline}, {@code end node token nanos}, and
 * {@code ready node}.
 */
public final class FencedLedger implements AutoCloseable {
    /** What the ledger does with a token that is older than the newest it has seen. */
    public enum StaleWrites {
        FENCED,
        /** For the test of the checks: everything is let in. */
        OPEN
    }

    private final LineServer server = new LineServer(this::answer);
    private final StaleWrites staleWrites;
    private final LedgerHistory history = new LedgerHistory();
    private long token;
    private String nonce = "";

    public FencedLedger(StaleWrites staleWrites) {
        this.staleWrites = staleWrites;
    }

    public int port() {
        return server.port();
    }

    public LedgerHistory history() {
        return history;
    }

    private String answer(String line) {
        String[] words = line.split(" ");
        String node = words[1];
        switch (words[0]) {
            case "hello" -> history.hello(node, number(words[2]));
            case "ready" -> history.ready(node);
            case "begin" -> history.begin(node, number(words[2]), number(words[3]), number(words[4]));
            case "renewed" -> history.renewed(node, number(words[2]), number(words[3]));
            case "end" -> history.end(node, number(words[2]), number(words[3]));
            case "raise", "write" -> {
                return fence(words);
            }
            default -> throw new IllegalArgumentException(String.join(" ", words));
        }
        return "ok";
    }

    /** The comparison and the record of it are one step: the history has the ledger's own order. */
    private synchronized String fence(String[] words) {
        long asked = number(words[2]);
        boolean fresh = asked > token || (asked == token && words[3].equals(nonce));
        if (fresh) {
            token = asked;
            nonce = words[3];
        }
        boolean accepted = fresh || staleWrites == StaleWrites.OPEN;
        long nanos = System.nanoTime();
        if (words[0].equals("write")) {
            history.wrote(new LedgerEvent.Write(nanos, words[1], asked, words[3], accepted), number(words[4]));
        } else {
            history.raised(new LedgerEvent.Raise(nanos, words[1], asked, words[3], accepted));
        }
        return accepted ? "ok" : "stale " + token;
    }

    private static long number(String word) {
        return Long.parseLong(word);
    }

    @Override
    public void close() {
        server.close();
    }
}
