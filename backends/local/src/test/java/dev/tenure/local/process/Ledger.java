// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local.process;

import dev.tenure.support.LineServer;
import java.util.ArrayList;
import java.util.List;

/**
 * A resource with a fence, in the test's own process, so that no pause or kill of a candidate touches it. One line a
 * request: {@code raise token nonce}, {@code write token nonce node}, or {@code told node text}.
 */
final class Ledger implements AutoCloseable {
    record Entry(String node, long token, String nonce, boolean accepted) {}

    private final LineServer server = new LineServer(this::answer);
    private final List<Entry> writes = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private long token;
    private String nonce = "";

    int port() {
        return server.port();
    }

    synchronized List<Entry> writes() {
        return List.copyOf(writes);
    }

    synchronized long acceptedUnder(long ofToken) {
        return writes.stream()
                .filter(entry -> entry.accepted && entry.token == ofToken)
                .count();
    }

    synchronized long refusedUnder(long ofToken) {
        return writes.stream()
                .filter(entry -> !entry.accepted && entry.token == ofToken)
                .count();
    }

    synchronized List<String> told() {
        return List.copyOf(told);
    }

    synchronized long token() {
        return token;
    }

    @Override
    public void close() {
        server.close();
    }

    private synchronized String answer(String line) {
        String[] words = line.split(" ", 4);
        if (words[0].equals("told")) {
            told.add(words[1] + " " + words[2]);
            return "ok";
        }
        long asked = Long.parseLong(words[1]);
        boolean fresh = asked > token || (asked == token && words[2].equals(nonce));
        if (fresh) {
            token = asked;
            nonce = words[2];
        }
        if (words[0].equals("write")) {
            writes.add(new Entry(words[3], asked, words[2], fresh));
        }
        return fresh ? "ok" : "stale " + token;
    }
}
