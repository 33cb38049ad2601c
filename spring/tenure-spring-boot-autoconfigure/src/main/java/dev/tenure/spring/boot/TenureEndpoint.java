package dev.tenure.spring.boot;

import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.observability.TenureHealth;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;

/**
 * {@code /actuator/tenure}: the elections of this instance, its last losses and its last events. To make a leader resign, allow it by {@code
 * management.endpoint.tenure.access=unrestricted} and post to {@code /actuator/tenure/ELECTION}.
 */
@Endpoint(id = "tenure", defaultAccess = Access.READ_ONLY)
public final class TenureEndpoint implements ApplicationListener<PayloadApplicationEvent<?>> {
    private static final int EVENTS_MAX = 100;
    private static final int LOSSES_MAX = 20;

    private final Tenure tenure;
    private final TenureHealth health;
    private final Deque<Occurrence> events = new ArrayDeque<>();
    private final Deque<Occurrence> losses = new ArrayDeque<>();

    /** @param at by the wall clock of this process, for people */
    public record Occurrence(Instant at, String event) {}

    public TenureEndpoint(Tenure tenure, TenureHealth health) {
        this.tenure = tenure;
        this.health = health;
    }

    @Override
    public void onApplicationEvent(PayloadApplicationEvent<?> published) {
        if (published.getPayload() instanceof TenureEvent event) {
            Occurrence occurrence = new Occurrence(Instant.ofEpochMilli(published.getTimestamp()), event.toString());
            keep(events, EVENTS_MAX, occurrence);
            if (event instanceof TenureEvent.Lost) {
                keep(losses, LOSSES_MAX, occurrence);
            }
        }
    }

    private static void keep(Deque<Occurrence> newestFirst, int max, Occurrence occurrence) {
        synchronized (newestFirst) {
            newestFirst.addFirst(occurrence);
            if (newestFirst.size() > max) {
                newestFirst.removeLast();
            }
        }
    }

    private static List<Occurrence> copyOf(Deque<Occurrence> newestFirst) {
        synchronized (newestFirst) {
            return List.copyOf(newestFirst);
        }
    }

    @ReadOperation
    public Map<String, Object> tenure() {
        TenureHealth.Verdict verdict = health.check();
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("node", tenure.node());
        shown.put("healthy", verdict.healthy());
        shown.put("reason", verdict.reason());
        shown.putAll(verdict.details());
        shown.put("losses", copyOf(losses));
        shown.put("events", copyOf(events));
        return shown;
    }

    /** Asks the leader of this election to step down, whichever process that is; it obeys with its next renewal. */
    @WriteOperation
    public Map<String, Object> resign(@Selector(match = Match.ALL_REMAINING) String[] election) {
        String name = String.join("/", election);
        return tenure.askToResign(name)
                .<Map<String, Object>>thenApply(leader -> Map.of(
                        "election",
                        name,
                        "asked",
                        leader.map(known -> known.node()).orElse("nobody leads")))
                .toCompletableFuture()
                .join();
    }
}
