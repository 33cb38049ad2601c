// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.seat;

import dev.tenure.support.LineServer;
import java.util.ArrayList;
import java.util.List;

/** A table that takes every row, notes whether its writer was still the newest leader, and whether a fence would have taken it. */
public final class BenchLedger implements AutoCloseable {
    /** @param refusable by a fence: a newer token has been raised */
    public record Row(int writer, long askedNanos, boolean stale, boolean refusable) {}

    private final LineServer server = new LineServer(this::note);
    private final List<Row> rows = new ArrayList<>();
    private int newestWriter = -1;
    private long raised;

    public int port() {
        return server.port();
    }

    public synchronized List<Row> rows() {
        return List.copyOf(rows);
    }

    private synchronized String note(String line) {
        String[] words = line.split(" ");
        int writer = Integer.parseInt(words[1]);
        long token = Long.parseLong(words[2]);
        switch (words[0]) {
            case "raise" -> raised = Math.max(raised, token);
            case "begin" -> newestWriter = writer;
            default -> rows.add(new Row(writer, Long.parseLong(words[3]), writer != newestWriter, token < raised));
        }
        return "ok";
    }

    @Override
    public void close() {
        server.close();
    }
}
