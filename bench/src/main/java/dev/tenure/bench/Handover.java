package dev.tenure.bench;

import dev.tenure.Candidacy;
import dev.tenure.Tenure;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** How long a clean handover takes on {@code local:}, from the end of one duty to the beginning of the next. */
final class Handover {
    private static final Duration ELECTED_MAX = Duration.ofSeconds(30);

    private Handover() {}

    static void measure(Path directory, int rounds, PrintStream out) throws Exception {
        long[] nanos = new long[rounds];
        String url = "local:" + directory;
        try (Tenure one = Tenure.connect(url).open();
                Tenure two = Tenure.connect(url).open()) {
            Tenure leader = one;
            Tenure challenger = two;
            for (int round = 0; round < rounds; round++) {
                nanos[round] = handOver(leader, challenger, "handover/" + round);
                Tenure swap = leader;
                leader = challenger;
                challenger = swap;
            }
        }
        Arrays.sort(nanos);
        out.printf(Locale.ROOT, "clean handovers                    %,12d%n", rounds);
        out.printf(Locale.ROOT, "p50                                %,12.1f ms%n", nanos[rounds / 2] / 1e6);
        out.printf(Locale.ROOT, "p99                                %,12.1f ms%n", nanos[rounds * 99 / 100] / 1e6);
        out.printf(Locale.ROOT, "max                                %,12.1f ms%n", nanos[rounds - 1] / 1e6);
    }

    private static long handOver(Tenure leader, Tenure challenger, String election) throws Exception {
        CompletableFuture<Long> endedNanos = new CompletableFuture<>();
        CompletableFuture<Long> begunNanos = new CompletableFuture<>();
        Candidacy first = leader.elect(election).perform(leadership -> {
            leadership.rest(Duration.ofHours(1));
            endedNanos.complete(System.nanoTime());
        });
        if (!first.awaitLeading(ELECTED_MAX)) {
            throw new IllegalStateException("not elected in " + election);
        }
        Candidacy second = challenger.elect(election).perform(leadership -> begunNanos.complete(System.nanoTime()));
        // The challenger must have asked and be waiting, or the figure would be that of a first claim.
        challenger.leaderOf(election).toCompletableFuture().join();
        first.close();
        long took = begunNanos.get(ELECTED_MAX.toSeconds(), TimeUnit.SECONDS) - endedNanos.join();
        second.close();
        return took;
    }
}
