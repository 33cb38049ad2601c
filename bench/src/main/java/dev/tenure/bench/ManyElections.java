package dev.tenure.bench;

import dev.tenure.ActivePassive;
import dev.tenure.Candidacy;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.Stats;
import dev.tenure.Tenure;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What many elections cost one process on {@code local:}: time to win them, threads, heap, renewals. */
final class ManyElections {
    private static final Duration WINNING_MAX = Duration.ofMinutes(5);
    private static final Duration STEADY = Duration.ofSeconds(20);

    private ManyElections() {}

    static void measure(Path directory, int elections, PrintStream out) throws Exception {
        try (Tenure tenure = Tenure.connect("local:" + directory).open()) {
            win(tenure, "first", 1);
            long heapOfOne = heapBytes();

            long beganNanos = System.nanoTime();
            List<Candidacy> held = win(tenure, "many", elections - 1);
            long wonNanos = System.nanoTime() - beganNanos;

            long heap = heapBytes() - heapOfOne;
            long renewalsBefore = tenure.stats().renewals();
            new CountDownLatch(1).await(STEADY.toMillis(), TimeUnit.MILLISECONDS);
            Stats after = tenure.stats();
            out.printf(Locale.ROOT, "elections held by one process      %,12d%n", after.leading());
            out.printf(Locale.ROOT, "all won after                      %,12.1f s%n", wonNanos / 1e9);
            out.printf(
                    Locale.ROOT,
                    "threads of the JVM                 %,12d%n",
                    ManagementFactory.getThreadMXBean().getThreadCount());
            out.printf(Locale.ROOT, "heap more than with one election   %,12.1f MB%n", heap / 1e6);
            out.printf(Locale.ROOT, "heap per election                  %,12d bytes%n", heap / (elections - 1));
            out.printf(
                    Locale.ROOT,
                    "renewals in %d s (TTL 10 s)        %,12d%n",
                    STEADY.toSeconds(),
                    after.renewals() - renewalsBefore);
            out.printf(Locale.ROOT, "terms begun                        %,12d%n", after.terms());
            held.get(0).close();
        }
    }

    private static List<Candidacy> win(Tenure tenure, String prefix, int elections) throws InterruptedException {
        CountDownLatch active = new CountDownLatch(elections);
        ActivePassive service = new ActivePassive() {
            @Override
            public void activate(Leadership leadership) {
                active.countDown();
            }

            @Override
            public void deactivate(Loss loss) {}
        };
        List<Candidacy> candidacies = new ArrayList<>();
        for (int i = 0; i < elections; i++) {
            candidacies.add(tenure.elect(prefix + "/" + i).run(service));
        }
        if (!active.await(WINNING_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException(active.getCount() + " elections were not won within " + WINNING_MAX);
        }
        return candidacies;
    }

    private static long heapBytes() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
