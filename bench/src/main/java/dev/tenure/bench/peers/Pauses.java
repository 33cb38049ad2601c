package dev.tenure.bench.peers;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.bench.peers.seat.Ledger;
import dev.tenure.bench.peers.seat.NotFinished;
import dev.tenure.bench.peers.seat.SeatProcess;
import dev.tenure.bench.peers.store.Store;
import java.time.Duration;
import java.util.List;

/**
 * A leader that writes a row a millisecond is stopped by a signal until another one leads and writes, and is then woken. It
 * asks before every row whether it still leads: how long does it believe so, and what of it reaches the ledger?
 */
final class Pauses implements Measurement {
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
    public List<Figure> measure(Store store, Settings settings) throws Exception {
        for (int round = 0; round < settings.number("--pauses"); round++) {
            for (Kind kind : settings.among(store.withoutFloor())) {
                try {
                    measure(store, kind);
                } catch (NotFinished slow) {
                    belief.trouble(kind, "did not finish: " + slow.getMessage());
                }
                Patience.awaitLeftovers(store, 0);
            }
        }
        return List.of(belief.neverMoreThan(0), unfenced, fenced.neverMoreThan(0));
    }

    private void measure(Store store, Kind kind) throws Exception {
        String election = Kind.ELECTIONS + "pause";
        try (Ledger ledger = new Ledger();
                SeatProcess old = SeatProcess.start(kind, store.address(kind), TTL, ledger.port());
                SeatProcess next = SeatProcess.start(kind, store.address(kind), TTL, ledger.port())) {
            old.order("write", OLD, election);
            old.hear("leads", Patience.STEP);
            next.order("write", NEW, election);
            Patience.awaitCandidates(store, 2, Patience.STEP, WRITING);

            old.pause();
            next.hear("leads", REPLACED_WITHIN);
            Patience.rest(WRITING);
            long wokenNanos = System.nanoTime();
            old.wake();
            old.hear("doubts", DOUBT_WITHIN);
            Patience.rest(WRITING);
            note(kind, ledger.rows(), wokenNanos);
        }
    }

    private void note(Kind kind, List<Ledger.Row> rows, long wokenNanos) {
        long believedNanos = rows.stream()
                .filter(row -> row.writer() == OLD)
                .mapToLong(row -> Math.max(0, row.askedNanos() - wokenNanos))
                .max()
                .orElseThrow();
        belief.add(kind, believedNanos / 1e6);
        unfenced.add(kind, (double) rows.stream().filter(Ledger.Row::stale).count());
        if (kind.isOurs()) {
            fenced.add(kind, (double)
                    rows.stream().filter(row -> row.stale() && !row.refusable()).count());
        }
    }
}
