package dev.tenure.faults;

import dev.tenure.faults.fault.Fault;
import dev.tenure.faults.ledger.Belief;
import dev.tenure.faults.ledger.Checks;
import dev.tenure.faults.ledger.Event;
import dev.tenure.faults.ledger.History;
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
public final class Campaign implements AutoCloseable {
    /** What a lease that was renewed in the last moment lasts, at most: the TTL less the clock drift that is allowed for. */
    private static final double LEASE_SHARE = 0.9;

    private final Setup setup;
    private final Stage stage;
    private final LiveScene scene;
    private final List<String> known = new ArrayList<>();
    private int rounds;

    public Campaign(StoreUnderTest store, Setup setup) throws IOException {
        this.setup = setup;
        this.stage = new Stage(store, setup);
        this.scene = new LiveScene(stage, setup.ttl(), new Random(setup.seed()));
    }

    /** Where the candidates' logs are. */
    public Path folder() {
        return stage.folder();
    }

    public Round run(Fault fault) throws Exception {
        rounds++;
        History history = stage.ledger().history();
        Duration bound = stage.store().bound(fault.reach(), setup.ttl());
        int before = 0;
        List<String> violations = new ArrayList<>();
        try {
            scene.prepare(bound);
            before = history.events().size();
            fault.strike(scene);
            scene.awaitOrder();
        } catch (NoLeaderException late) {
            violations.add(late.getMessage());
        }
        violations.addAll(check(history));
        List<Event> events = history.events();
        List<Event> fresh = events.subList(before, events.size());
        return new Round(
                rounds,
                fault.name(),
                scene.leaderless(fresh),
                bound,
                (int) fresh.stream().filter(Campaign::isAcceptedWrite).count(),
                (int) fresh.stream().filter(event -> !event.accepted()).count(),
                overlap(history.beliefs()),
                violations);
    }

    static boolean isAcceptedWrite(Event event) {
        return event instanceof Event.Write && event.accepted();
    }

    /** All that is new. */
    private List<String> check(History history) {
        List<String> found = new ArrayList<>(history.complaints());
        List<Event> events = history.events();
        found.addAll(Checks.staleWrites(events));
        found.addAll(Checks.sharedTokens(events, scene.clockAheadSinceNanos()));
        long leaseNanos = (long) (setup.ttl().toNanos() * LEASE_SHARE);
        found.addAll(Checks.overlaps(history.beliefs(), scene.breaches(), leaseNanos));
        stage.ended().forEach(node -> found.add("candidate " + node + " ended by itself"));
        found.removeAll(known);
        known.addAll(found);
        return found;
    }

    /** The longest of this round. */
    private Duration overlap(List<Belief> beliefs) {
        long longestNanos = 0;
        for (Belief one : beliefs) {
            for (Belief other : beliefs) {
                if (one.token() < other.token() && other.beginNanos() - scene.beganNanos() > 0) {
                    longestNanos = Math.max(longestNanos, Checks.overlapNanos(one, other));
                }
            }
        }
        return Duration.ofNanos(longestNanos);
    }

    /** Nothing went wrong: nobody needs the logs. */
    public void forgetLogs() throws IOException {
        stage.removeLogs();
    }

    @Override
    public void close() throws InterruptedException {
        stage.close();
    }
}
