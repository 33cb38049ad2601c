// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.seat;

import dev.tenure.bench.peers.contender.Contender.Stand;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The work of a leader: asks whether it may, and writes a row; about a thousand times a second, until it may not. */
final class Writer extends Thread {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final LedgerLink ledger;
    private final CompletableFuture<Stand> stood;
    private final BenchProcessOutput output;
    private final int client;

    Writer(LedgerLink ledger, CompletableFuture<Stand> stood, BenchProcessOutput output, int client) {
        super("writer");
        setDaemon(true);
        this.ledger = ledger;
        this.stood = stood;
        this.output = output;
        this.client = client;
    }

    @Override
    public void run() {
        Stand stand = stood.join();
        while (!stand.believes()) {
            LockSupport.parkNanos(PAUSE_NANOS); // some libraries call back just before they would say so
        }
        long token = stand.token();
        try {
            for (long askedNanos = System.nanoTime(); stand.believes(); askedNanos = System.nanoTime()) {
                ledger.row(token, askedNanos);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            output.print("doubts", client, System.nanoTime());
        } catch (IOException ledgerGone) {
            output.print("wrote-in-vain", client, System.nanoTime());
        }
    }
}
