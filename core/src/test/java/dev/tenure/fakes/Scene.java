// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fakes;

import dev.tenure.Duty;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A few clients on one store, in manual time, and everything they told. */
public final class Scene {
    public static final Duration TTL = Duration.ofSeconds(10);
    /** After this a silent holder has been replaced, whoever it was. */
    public static final Duration TAKEOVER = TTL.multipliedBy(2);

    static {
        Quiet.logs();
    }

    public final ManualHost host = new ManualHost();
    public final MemoryStore store = new MemoryStore(host);
    private final List<TenureEvent> events = new ArrayList<>();

    public Tenure client(String node) {
        Tenure client = Tenure.using(store).host(host).node(node).ttl(TTL).open();
        client.onEvent(events::add);
        return client;
    }

    public List<TenureEvent> events() {
        return events;
    }

    public <T extends TenureEvent> List<T> events(Class<T> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** The duty that the guide shows: works while it may, rests in between. */
    public static Duty untilLost() {
        return leadership -> {
            while (leadership.isActive()) {
                leadership.rest(Duration.ofSeconds(1));
            }
        };
    }

    /** A duty that does not listen: neither to the end of its term nor to an interrupt. */
    public Duty deaf() {
        return leadership -> {
            while (true) {
                try {
                    host.signal().await(Duration.ofDays(100).toNanos());
                } catch (InterruptedException ignored) {
                    // that is what makes it deaf
                }
            }
        };
    }
}
