package dev.tenure.simulator;

import dev.tenure.simulator.trace.Fault;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What came of a campaign of seeds.
 *
 * @param terms how many times somebody was elected
 * @param hash over the trace hashes of all seeds: equal campaigns have equal hashes, on any machine
 * @param wallNanos how long it took, by the clock that the caller gave
 */
public record SimReport(
        long from,
        long seeds,
        List<SeedViolation> violations,
        Map<Fault, Long> faults,
        long terms,
        long events,
        double simulatedHours,
        long hash,
        long wallNanos) {
    private static final double NANOS_PER_SECOND = 1e9;

    public SimReport {
        violations = List.copyOf(violations);
        EnumMap<Fault, Long> ordered = new EnumMap<>(Fault.class);
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
                Count.of(terms, "term"),
                Count.of(faultsInjected(), "fault"),
                Count.of(faults.values().stream().filter(count -> count > 0).count(), "kind"),
                Count.of(events, "event"),
                simulatedHours,
                seconds,
                seconds * 1000 / seeds,
                hash));
        return text.toString();
    }

    /** The counts by kind of fault, for people. */
    public String faultText() {
        StringBuilder text = new StringBuilder();
        faults.forEach((fault, count) ->
                text.append(String.format(Locale.ROOT, "%12d  %-22s %s%n", count, fault, fault.meaning())));
        return text.toString();
    }

    /** For programs: one object. */
    public String json() {
        StringBuilder json = new StringBuilder();
        json.append(String.format(
                Locale.ROOT,
                "{\"from\":%d,\"seeds\":%d,\"terms\":%d,\"events\":%d,\"simulatedHours\":%.3f,\"hash\":\"%016x\","
                        + "\"wallMillis\":%d,\"violations\":[",
                from,
                seeds,
                terms,
                events,
                simulatedHours,
                hash,
                wallNanos / 1_000_000));
        for (int i = 0; i < violations.size(); i++) {
            SeedViolation each = violations.get(i);
            json.append(i == 0 ? "" : ",")
                    .append(String.format(
                            Locale.ROOT,
                            "{\"seed\":%d,\"property\":\"%s\",\"atSeconds\":%.6f,\"message\":\"%s\"}",
                            each.seed(),
                            each.property(),
                            each.atSeconds(),
                            escaped(each.message())));
        }
        json.append("],\"faults\":{");
        boolean first = true;
        for (Map.Entry<Fault, Long> each : faults.entrySet()) {
            json.append(first ? "" : ",")
                    .append('"')
                    .append(each.getKey())
                    .append("\":")
                    .append(each.getValue());
            first = false;
        }
        return json.append("}}").toString();
    }

    private static String escaped(String text) {
        StringBuilder safe = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                safe.append('\\').append(c);
            } else if (c < ' ') {
                safe.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                safe.append(c);
            }
        }
        return safe.toString();
    }
}
