package dev.tenure.internal.loop;

import dev.tenure.ElectionName;
import dev.tenure.Stats;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** What a client counts over all its candidacies, those that have retired included. On the loop. */
final class Counters {
    private long terms;
    private long failovers;
    private long renewals;
    private long renewalsFailed;

    void termBegan() {
        terms++;
    }

    void tookOver() {
        failovers++;
    }

    void renewed() {
        renewals++;
    }

    void renewalFailed() {
        renewalsFailed++;
    }

    /** In one snapshot with what each of these candidacies has counted. */
    Stats with(Stream<Candidate> candidates, SessionKeeper keeper, long nowNanos) {
        Map<ElectionName, Stats.ElectionStats> byElection = new LinkedHashMap<>();
        candidates.forEach(candidate -> {
            Tally tally = candidate.tally();
            byElection.put(
                    candidate.election(),
                    new Stats.ElectionStats(
                            candidate.standing(),
                            tally.terms(),
                            candidate.token(),
                            Duration.ofNanos(tally.leadsForNanos(nowNanos)),
                            Duration.ofNanos(tally.withoutLeaderNanos(nowNanos)),
                            tally.leader()));
        });
        long leading = byElection.values().stream()
                .filter(one -> one.token().isPresent())
                .count();
        return new Stats(
                byElection.size(),
                (int) leading,
                terms,
                failovers,
                keeper.stats(renewals, renewalsFailed),
                Map.copyOf(byElection));
    }
}
