// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults;

import dev.tenure.faults.fault.InjectedFault;
import dev.tenure.faults.ledger.LedgerChecks;
import dev.tenure.faults.ledger.LedgerEvent;
import dev.tenure.faults.ledger.LedgerHistory;
import dev.tenure.faults.ledger.TermBelief;
import dev.tenure.faults.store.StoreUnderTest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Faults, one after the other, on one store with three candidates. Before each there is one leader; after each there must be
 * one again, and what the ledger has seen from the very beginning is checked anew.
 */
public final class FaultCampaign implements AutoCloseable {
    /** What a lease that was renewed in the last moment lasts, at most: the TTL less the clock drift that is allowed for. */
    private static final double LEASE_SHARE = 0.9;

    private final Setup setup;
    private final CandidateGroup group;
    private final LiveFaultContext scene;
    private final List<String> known = new ArrayList<>();
    private int rounds;

    public FaultCampaign(StoreUnderTest store, Setup setup) throws IOException {
        this.setup = setup;
        this.group = new CandidateGroup(store, setup);
        this.scene = new LiveFaultContext(group, setup.ttl(), new Random(setup.seed()));
    }

    /** Where the candidates' logs are. */
    public Path folder() {
        return group.folder();
    }

    public Round run(InjectedFault fault) throws Exception {
        rounds++;
        LedgerHistory history = group.ledger().history();
        Duration bound = group.store().bound(fault.scope(), setup.ttl());
        int before = 0;
        List<String> violations = new ArrayList<>();
        try {
            scene.prepare(bound);
            before = history.events().size();
            fault.inject(scene);
            scene.awaitOrder();
        } catch (NoLeaderException late) {
            violations.add(late.getMessage());
        }
        violations.addAll(check(history));
        List<LedgerEvent> events = history.events();
        List<LedgerEvent> fresh = events.subList(before, events.size());
        return new Round(
                rounds,
                fault.name(),
                bound,
                new Round.Measured(
                        scene.leaderless(fresh),
                        (int) fresh.stream()
                                .filter(FaultCampaign::isAcceptedWrite)
                                .count(),
                        (int) fresh.stream().filter(event -> !event.accepted()).count(),
                        overlap(history.beliefs())),
                violations);
    }

    static boolean isAcceptedWrite(LedgerEvent event) {
        return event instanceof LedgerEvent.Write && event.accepted();
    }

    /** All that is new. */
    private List<String> check(LedgerHistory history) {
        List<String> found = new ArrayList<>(history.complaints());
        List<LedgerEvent> events = history.events();
        found.addAll(LedgerChecks.staleWrites(events));
        found.addAll(LedgerChecks.sharedTokens(events, scene.clockAheadSinceNanos()));
        long leaseNanos = (long) (setup.ttl().toNanos() * LEASE_SHARE);
        found.addAll(LedgerChecks.overlaps(history.beliefs(), scene.breaches(), leaseNanos));
        group.ended().forEach(node -> found.add("candidate " + node + " ended by itself"));
        found.removeAll(known);
        known.addAll(found);
        return found;
    }

    /** The longest of this round. */
    private Duration overlap(List<TermBelief> beliefs) {
        long longestNanos = 0;
        for (TermBelief one : beliefs) {
            for (TermBelief other : beliefs) {
                if (one.token() < other.token() && other.beginNanos() - scene.beganNanos() > 0) {
                    longestNanos = Math.max(longestNanos, LedgerChecks.overlapNanos(one, other));
                }
            }
        }
        return Duration.ofNanos(longestNanos);
    }

    /** Nothing went wrong: nobody needs the logs. */
    public void forgetLogs() throws IOException {
        group.removeLogs();
    }

    @Override
    public void close() throws InterruptedException {
        group.close();
    }
}
