package dev.tenure.internal.loop;

import dev.tenure.ElectionName;
import dev.tenure.Stats;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Counts what the loop knows into one snapshot. On the loop. */
public final class Census {
    private Census() {}

    public static Stats of(Engine engine) {
        long nowNanos = engine.host().nanos();
        Map<ElectionName, Stats.ElectionStats> byElection = new LinkedHashMap<>();
        int leading = 0;
        for (Candidate candidate : engine.candidacies().standing().toList()) {
            Tally tally = candidate.tally();
            leading += candidate.token().isPresent() ? 1 : 0;
            byElection.put(
                    candidate.election(),
                    new Stats.ElectionStats(
                            candidate.standing(),
                            tally.terms(),
                            candidate.token(),
                            Duration.ofNanos(tally.leadsForNanos(nowNanos)),
                            Duration.ofNanos(tally.withoutLeaderNanos(nowNanos))));
        }
        Counters counters = engine.counters();
        return new Stats(
                byElection.size(),
                leading,
                counters.terms(),
                counters.failovers(),
                counters.renewals(),
                counters.renewalsFailed(),
                Map.copyOf(byElection));
    }
}
