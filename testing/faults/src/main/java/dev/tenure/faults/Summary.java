// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A table of all rounds, by fault. */
final class Summary {
    private final Map<String, List<Round>> rounds = new TreeMap<>();

    void add(Round round) {
        rounds.computeIfAbsent(round.fault(), unused -> new ArrayList<>()).add(round);
    }

    @Override
    public String toString() {
        StringBuilder table = new StringBuilder(128);
        table.append(
                "fault               rounds   no leader: p50      max     docs   writes  stale, refused  overlap max\n");
        rounds.forEach((fault, all) -> table.append(line(fault, all)));
        return table.toString();
    }

    private static String line(String fault, List<Round> all) {
        List<Round.Measured> measured = all.stream().map(Round::measured).toList();
        List<Duration> sorted =
                measured.stream().map(Round.Measured::leaderless).sorted().toList();
        Duration overlap = measured.stream()
                .map(Round.Measured::overlap)
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
        return String.format(
                Locale.ROOT,
                "%-20s%6d   %11.3f s%8.3f s%6.1f s%9d%16d%11.3f s%n",
                fault,
                all.size(),
                Round.seconds(sorted.get(sorted.size() / 2)),
                Round.seconds(sorted.get(sorted.size() - 1)),
                Round.seconds(all.get(0).bound()),
                measured.stream().mapToInt(Round.Measured::writes).sum(),
                measured.stream().mapToInt(Round.Measured::refused).sum(),
                Round.seconds(overlap));
    }
}
