// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.Consumer;

/** All contests at several sizes. */
public record Comparison(List<Measurement> measurements) {
    private static final int SIZES_MAX = 12;

    public Comparison {
        measurements = List.copyOf(measurements);
    }

    /** @param told of each cell as it comes */
    public static Comparison run(int fromNodes, int toNodes, int runs, long seed, Consumer<Measurement> told) {
        List<Measurement> measurements = new ArrayList<>();
        for (Benchmark benchmark : Benchmark.values()) {
            for (int nodes : sizes(fromNodes, toNodes)) {
                Measurement measurement = Measurement.measure(benchmark, nodes, runs, seed);
                measurements.add(measurement);
                told.accept(measurement);
            }
        }
        return new Comparison(measurements);
    }

    /** At most a dozen sizes, each by about the same factor larger than the one before. */
    public static List<Integer> sizes(int from, int to) {
        if (from < 2 || to < from) {
            throw new IllegalArgumentException(
                    "nodes " + from + ".." + to + ": needed are 2 or more, from low to high");
        }
        TreeSet<Integer> sizes = new TreeSet<>();
        for (int i = 0; i < SIZES_MAX; i++) {
            double share = (double) i / (SIZES_MAX - 1);
            sizes.add((int) Math.round(from * Math.pow((double) to / from, share)));
        }
        return List.copyOf(sizes);
    }

    public boolean isWithinTheory() {
        return measurements.stream().allMatch(Measurement::isWithinTheory);
    }

    public String csv() {
        StringBuilder csv = new StringBuilder(
                "contest,nodes,runs,messages_mean,messages_min,messages_max,theory_low,theory_high,ms\n");
        for (Measurement measurement : measurements) {
            double high = measurement.benchmark().high(measurement.nodes());
            csv.append(String.format(
                    Locale.ROOT,
                    "\"%s\",%d,%d,%.1f,%d,%d,%.1f,%s,%.1f%n",
                    measurement.benchmark().title(),
                    measurement.nodes(),
                    measurement.runs(),
                    measurement.messages().mean(),
                    measurement.messages().fewest(),
                    measurement.messages().most(),
                    measurement.benchmark().low(measurement.nodes()),
                    Double.isInfinite(high) ? "" : String.format(Locale.ROOT, "%.1f", high),
                    measurement.millis()));
        }
        return csv.toString();
    }
}
