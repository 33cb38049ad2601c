// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.seat;

import dev.tenure.Fence;
import dev.tenure.bench.peers.contender.Contender;
import dev.tenure.bench.peers.contender.Contender.Stand;
import dev.tenure.bench.peers.contender.Kind;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Some clients of one kind in one process. Every moment that it tells is the machine's own, the same for all processes. */
final class BenchProcess {
    private final Kind kind;
    private final String address;
    private final Duration ttl;
    private final int ledgerPort;
    private final BenchProcessOutput output;
    private final Map<Integer, Contender> clients = new ConcurrentHashMap<>();
    private final Map<String, Stand> stands = new ConcurrentHashMap<>();

    BenchProcess(Kind kind, String address, Duration ttl, int ledgerPort, BenchProcessOutput output) {
        this.kind = kind;
        this.address = address;
        this.ttl = ttl;
        this.ledgerPort = ledgerPort;
        this.output = output;
    }

    void open(int client) throws Exception {
        clients.put(client, kind.open(address, ttl, List.of()));
        output.print("opened", client);
    }

    void stand(int client, String election) {
        Stand stand = contender(client).stand(election, () -> output.print("leads", client, System.nanoTime()));
        stands.put(client + " " + election, stand);
    }

    void leave(int client, String election) throws Exception {
        Stand stand = Objects.requireNonNull(stands.remove(client + " " + election), election);
        long askedNanos = System.nanoTime();
        stand.leave();
        output.print("left", client, askedNanos);
    }

    /** Tells when it began, and, once it leads in all of them, when that was. */
    void standInMany(int client, String prefix, int elections) {
        AtomicInteger missing = new AtomicInteger(elections);
        output.print("began", client, System.nanoTime());
        for (int i = 0; i < elections; i++) {
            stands.put(client + " " + prefix + i, contender(client).stand(prefix + i, () -> {
                if (missing.decrementAndGet() == 0) {
                    output.print("leads-in-all", client, System.nanoTime());
                }
            }));
        }
    }

    /** Stands, and while it leads and believes so, writes rows into the ledger. */
    void write(int client, String election) throws Exception {
        LedgerLink ledger = new LedgerLink(ledgerPort, client);
        List<Fence> fences = List.of(ledger);
        Contender contender = kind.open(address, ttl, fences);
        clients.put(client, contender);
        CompletableFuture<Stand> stood = new CompletableFuture<>();
        stood.complete(contender.stand(election, () -> {
            ledger.begin();
            output.print("leads", client, System.nanoTime());
            new Writer(ledger, stood, output, client).start();
        }));
    }

    void close(int client) throws Exception {
        output.print("closing", client, System.nanoTime());
        contender(client).close();
        output.print("closed", client, System.nanoTime());
    }

    /** Heap after a collection, threads, and heartbeats so far of the client, if there is one yet. */
    void cost(int client) {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        int threads = ManagementFactory.getThreadMXBean().getThreadCount();
        Contender contender = clients.get(client);
        output.print("costs", client, heap, threads, contender == null ? 0 : contender.heartbeats());
    }

    private Contender contender(int client) {
        return Objects.requireNonNull(clients.get(client), "client " + client);
    }
}
