// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.bench.peers.seat.BenchLedger;
import dev.tenure.bench.peers.seat.BenchProcessHandle;
import dev.tenure.bench.peers.seat.NotFinished;
import dev.tenure.bench.peers.store.BenchStore;
import java.time.Duration;
import java.util.List;

/**
 * A leader that writes a row a millisecond is stopped by a signal until another one leads and writes, and is then woken. It
 * asks before every row whether it still leads: how long does it believe so, and what of it reaches the ledger?
 */
final class Pauses implements PeerMeasurement {
    private static final Duration TTL = Duration.ofSeconds(4);
    private static final Duration WRITING = Duration.ofMillis(300);
    private static final Duration REPLACED_WITHIN = Duration.ofSeconds(30);
    private static final Duration DOUBT_WITHIN = Duration.ofSeconds(10);
    private static final int OLD = 0;
    private static final int NEW = 1;

    private final Figure belief = new Figure("woken from SIGSTOP after more than the TTL: still believes for, ms");
    private final Figure unfenced = new Figure("... stale rows in a ledger without a fence");
    private final Figure fenced = new Figure("... stale rows in a ledger with a fence");

    @Override
    public List<Figure> measure(BenchStore store, Settings settings) throws Exception {
        for (int round = 0; round < settings.number("--pauses"); round++) {
            for (Kind kind : settings.among(store.withoutFloor())) {
                try {
                    measure(store, kind);
                } catch (NotFinished slow) {
                    belief.failure(kind, "did not finish: " + slow.getMessage());
                }
                BenchTimeouts.awaitLeftovers(store, 0);
            }
        }
        return List.of(belief.neverMoreThan(0), unfenced, fenced.neverMoreThan(0));
    }

    private void measure(BenchStore store, Kind kind) throws Exception {
        String election = Kind.ELECTIONS + "pause";
        try (BenchLedger ledger = new BenchLedger();
                BenchProcessHandle old = BenchProcessHandle.start(kind, store.address(kind), TTL, ledger.port());
                BenchProcessHandle next = BenchProcessHandle.start(kind, store.address(kind), TTL, ledger.port())) {
            old.order("write", OLD, election);
            old.await("leads", BenchTimeouts.STEP);
            next.order("write", NEW, election);
            BenchTimeouts.awaitCandidates(store, 2, BenchTimeouts.STEP, WRITING);

            old.pause();
            next.await("leads", REPLACED_WITHIN);
            BenchTimeouts.rest(WRITING);
            long wokenNanos = System.nanoTime();
            old.wake();
            old.await("doubts", DOUBT_WITHIN);
            BenchTimeouts.rest(WRITING);
            note(kind, ledger.rows(), wokenNanos);
        }
    }

    private void note(Kind kind, List<BenchLedger.Row> rows, long wokenNanos) {
        long believedNanos = rows.stream()
                .filter(row -> row.writer() == OLD)
                .mapToLong(row -> Math.max(0, row.askedNanos() - wokenNanos))
                .max()
                .orElseThrow();
        belief.add(kind, believedNanos / 1e6);
        unfenced.add(kind, (double) rows.stream().filter(BenchLedger.Row::stale).count());
        if (kind.isOurs()) {
            fenced.add(kind, (double)
                    rows.stream().filter(row -> row.stale() && !row.refusable()).count());
        }
    }
}
