// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator;

import dev.tenure.simulator.trace.FaultKind;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What came of a campaign of seeds.
 *
 * @param wallNanos how long it took, by the clock that the caller gave
 */
public record SimReport(
        long from,
        long seeds,
        List<SeedViolation> violations,
        Map<FaultKind, Long> faults,
        Totals totals,
        long wallNanos) {
    private static final double NANOS_PER_SECOND = 1e9;

    /**
     * Of all seeds together.
     *
     * @param terms how many times somebody was elected
     * @param hash over the trace hashes: equal campaigns have equal hashes, on any machine
     */
    public record Totals(long terms, long events, double simulatedHours, long hash) {}

    public SimReport {
        violations = List.copyOf(violations);
        EnumMap<FaultKind, Long> ordered = new EnumMap<>(FaultKind.class);
        ordered.putAll(faults);
        faults = java.util.Collections.unmodifiableMap(ordered);
    }

    public boolean isClean() {
        return violations.isEmpty();
    }

    public long faultsInjected() {
        return faults.values().stream().mapToLong(Long::longValue).sum();
    }

    /** For people. */
    public String text() {
        StringBuilder text = new StringBuilder();
        violations.forEach(violation -> text.append(violation).append('\n'));
        double seconds = wallNanos / NANOS_PER_SECOND;
        text.append(String.format(
                Locale.ROOT,
                "%s from %d: %s, %s, %s of %s, %s, %.1f simulated hours in %.1f s (%.1f ms a seed), hash %016x%n",
                Count.of(seeds, "seed"),
                from,
                Count.of(violations.size(), "violation"),
                Count.of(totals.terms(), "term"),
                Count.of(faultsInjected(), "fault"),
                Count.of(faults.values().stream().filter(count -> count > 0).count(), "kind"),
                Count.of(totals.events(), "event"),
                totals.simulatedHours(),
                seconds,
                seconds * 1000 / seeds,
                totals.hash()));
        return text.toString();
    }

    /** The counts by kind of fault, for people. */
    public String faultText() {
        StringBuilder text = new StringBuilder();
        faults.forEach((fault, count) ->
                text.append(String.format(Locale.ROOT, "%12d  %-22s %s%n", count, fault, fault.meaning())));
        return text.toString();
    }

    /** For programs: maps, lists, texts and numbers, which any writer of JSON takes. */
    public Map<String, Object> data() {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("from", from);
        data.put("seeds", seeds);
        data.put("terms", totals.terms());
        data.put("events", totals.events());
        data.put("simulatedHours", Math.round(totals.simulatedHours() * 1000) / 1000.0);
        data.put("hash", String.format(Locale.ROOT, "%016x", totals.hash()));
        data.put("wallMillis", wallNanos / 1_000_000);
        data.put("violations", violations.stream().map(SeedViolation::data).toList());
        data.put("faults", faults);
        return data;
    }
}
