package dev.tenure.bench.advisory;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Measured times of one kind. */
final class Medians {
    private final String what;
    private final List<Long> nanos = new ArrayList<>();

    Medians(String what) {
        this.what = what;
    }

    void add(long tookNanos) {
        nanos.add(tookNanos);
    }

    double medianMillis() {
        return tenth(5);
    }

    private double tenth(int tenths) {
        List<Long> sorted = nanos.stream().sorted().toList();
        return sorted.get((sorted.size() - 1) * tenths / 10) / 1e6;
    }

    void print(PrintStream out) {
        out.printf(
                Locale.ROOT,
                "%-66s %8.2f ms (p10 %.2f, p90 %.2f, max %.2f, n=%d)%n",
                what,
                medianMillis(),
                tenth(1),
                tenth(9),
                tenth(10),
                nanos.size());
    }
}
