// SPDX-License-Identifier: Apache-2.0
package dev.tenure.observability;

import dev.tenure.Tenure;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The meters of one client, from its events and its {@code stats()}. They are described in {@code docs/observability.md}.
 *
 * <pre>{@code TenureMeters.of(tenure).bindTo(registry);}</pre>
 *
 * <p>Counters and timers follow the events from then on: a registry that blocks loses events of its own and delays nobody else. Gauges ask the
 * client, at most every half second, on the thread that reads them. The registry keeps the meters, and with them the client, until {@link #close()}.
 */
public final class TenureMeters implements MeterBinder, AutoCloseable {
    private final Tenure tenure;
    private final int electionsMax;
    private final Tags tags;
    private final List<ClientMeters> bound = new CopyOnWriteArrayList<>();

    private TenureMeters(Tenure tenure, int electionsMax, Tags tags) {
        this.tenure = tenure;
        this.electionsMax = electionsMax;
        this.tags = tags;
    }

    public static TenureMeters of(Tenure tenure) {
        return new TenureMeters(tenure, 100, Tags.empty());
    }

    /** How many elections have series of their own; 100 unless told. Those that come later share the tag {@code (other)}. */
    public TenureMeters maxElections(int count) {
        return new TenureMeters(tenure, count, tags);
    }

    /** Tags every meter with {@code client}: for a process with several clients. */
    public TenureMeters client(String name) {
        return new TenureMeters(tenure, electionsMax, Tags.of("client", name));
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        ClientMeters meters = new ClientMeters(tenure, registry, tags, electionsMax);
        bound.add(meters);
        meters.begin();
    }

    /** Removes the meters from every registry. Needed where the registry outlives the client. */
    @Override
    public void close() {
        bound.forEach(ClientMeters::close);
        bound.clear();
    }
}
