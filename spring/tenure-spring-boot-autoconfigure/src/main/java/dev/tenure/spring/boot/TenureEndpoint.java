// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring.boot;

import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.observability.TenureHealth;
import java.time.Instant;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.context.event.EventListener;

/** {@code /actuator/tenure}: the elections of this instance, its last events, and the losses among them. */
@Endpoint(id = "tenure")
public final class TenureEndpoint {
    private static final int EVENTS_MAX = 100;

    private final Tenure tenure;
    private final TenureHealth health;
    private final Deque<Occurrence> newestFirst = new ConcurrentLinkedDeque<>();

    /** @param at by the wall clock of this process, for people */
    private record Occurrence(Instant at, TenureEvent event) {
        Map<String, Object> shown() {
            return Map.of("at", at, "event", event.toString());
        }
    }

    public TenureEndpoint(Tenure tenure, TenureHealth health) {
        this.tenure = tenure;
        this.health = health;
    }

    @EventListener
    public void on(TenureEvent event) {
        newestFirst.addFirst(new Occurrence(Instant.ofEpochMilli(tenure.host().wallMillis()), event));
        if (newestFirst.size() > EVENTS_MAX) {
            newestFirst.pollLast();
        }
    }

    @ReadOperation
    public Map<String, Object> tenure() {
        TenureHealth.Verdict verdict = health.check();
        List<Occurrence> losses = newestFirst.stream()
                .filter(one -> one.event instanceof TenureEvent.Lost)
                .toList();
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("node", tenure.node());
        shown.put("healthy", verdict.healthy());
        shown.put("reason", verdict.reason());
        shown.putAll(verdict.details());
        shown.put("losses", losses.stream().map(Occurrence::shown).toList());
        shown.put("events", newestFirst.stream().map(Occurrence::shown).toList());
        return shown;
    }
}
