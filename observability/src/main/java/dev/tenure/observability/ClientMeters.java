// SPDX-License-Identifier: Apache-2.0
package dev.tenure.observability;

import dev.tenure.ElectionName;
import dev.tenure.Stats;
import dev.tenure.Stats.SessionStats;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.TenureEvent.StoreCalled;
import dev.tenure.TenureListener;
import dev.tenure.spi.BackendTraits;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The meters of one client in one registry. */
final class ClientMeters implements TenureListener {
    private static final long STATS_AGE_NANOS_MAX = Duration.ofMillis(500).toNanos();

    private final Tenure tenure;
    private final Clock clock;
    private final int electionsMax;
    private final MeterFactory meters;
    private final Map<String, ElectionMeters> byTag = new HashMap<>();
    private Optional<Meter> info = Optional.empty();
    private Optional<Stats> stats = Optional.empty();
    private long statsNanos;
    private boolean closed;

    ClientMeters(Tenure tenure, MeterRegistry registry, Tags tags, int electionsMax) {
        this.tenure = tenure;
        this.clock = registry.config().clock();
        this.electionsMax = electionsMax;
        this.meters = new MeterFactory(registry, tags, ConcurrentHashMap.newKeySet(), this::read);
    }

    /** Registers all that every client has, and then what comes with its elections. */
    void begin() {
        for (StoreCalled.Outcome outcome : StoreCalled.Outcome.values()) {
            for (String operation : List.of("open", "renew", "claim", "release", "check", "clear")) {
                timer(operation, outcome);
            }
        }
        pauses();
        meters.gauge("tenure.ttl", "seconds", "Time to live of the session", () -> ofSession(SessionStats::ttl));
        String silence = "Time since the store last answered";
        meters.gauge("tenure.store.silence", "seconds", silence, () -> ofSession(SessionStats::silence));
        registerInfo();
        tenure.onEveryEvent(this);
        refresh();
    }

    private double ofSession(Function<SessionStats, Duration> part) {
        return seconds(part.apply(stats.orElseThrow().session()));
    }

    synchronized void close() {
        closed = true;
        meters.registered().forEach(meters::remove);
    }

    private Timer timer(String operation, StoreCalled.Outcome outcome) {
        MeterFactory tagged = meters.with("outcome", lower(outcome));
        return operation.equals("renew")
                ? tagged.timer("tenure.renewals", "Renewals of the session")
                : tagged.timer("tenure.store.calls", "Calls of the store but renewals", "operation", operation);
    }

    private Timer pauses() {
        return meters.timer("tenure.pauses", "Pauses of this process, by which its loop was late");
    }

    static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** Some stores know what they promise only once they were contacted. */
    private void registerInfo() {
        BackendTraits traits = tenure.traits();
        // Of etcd 3.5.16, jdbc:h2:mem:x or local:/var/lib/x: the kind.
        String kind = traits.store().replaceFirst("^jdbc:", "").split("[^A-Za-z+]", 2)[0];
        String version = Tenure.class.getPackage().getImplementationVersion();
        MeterFactory tagged = meters.with("store", kind)
                .with("grade", traits.grade().name(), "scope", lower(traits.scope()))
                .with("version", version == null ? "unknown" : version);
        Meter now = tagged.gauge("tenure.info", "", "The client, and what its store promises", () -> 1);
        info.filter(before -> before != now).ifPresent(meters::remove);
        info = Optional.of(now);
    }

    /** The meters that this election counts in: its own, or those of all that came too late. */
    private ElectionMeters of(ElectionName election) {
        String name = election.toString();
        String tag = byTag.containsKey(name) || byTag.size() < electionsMax ? name : "(other)";
        return byTag.computeIfAbsent(tag, value -> new ElectionMeters(meters.with("election", value)));
    }

    private double read(DoubleSupplier value) {
        refresh();
        synchronized (this) {
            return value.getAsDouble();
        }
    }

    /** One snapshot for all gauges of a scrape. Not asked for under the monitor: events that need it may come first. */
    private void refresh() {
        if (isOutdated()) {
            take(tenure.stats());
        }
    }

    private synchronized boolean isOutdated() {
        return stats.isEmpty() || clock.monotonicTime() - statsNanos >= STATS_AGE_NANOS_MAX;
    }

    private synchronized void take(Stats taken) {
        Optional<Stats> before = stats;
        stats = Optional.of(taken);
        statsNanos = clock.monotonicTime();
        byTag.values().forEach(ElectionMeters::beginSnapshot);
        taken.byElection()
                .forEach((election, now) ->
                        of(election).add(now, before.map(old -> old.byElection().get(election)), taken.session()));
    }

    @Override
    public synchronized void on(TenureEvent event) {
        if (closed) {
            return;
        }
        if (event instanceof StoreCalled called) {
            timer(called.operation(), called.outcome()).record(called.took());
        } else if (event instanceof TenureEvent.Paused paused) {
            pauses().record(paused.late());
        } else if (event instanceof TenureEvent.SessionOpened) {
            registerInfo();
        } else if (event instanceof TenureEvent.CandidacyBegan began) {
            of(began.election());
        } else if (event instanceof TenureEvent.Elected elected) {
            of(elected.term().election()).terms().increment();
        } else if (event instanceof TenureEvent.Lost lost) {
            of(lost.term().election()).losses(lost.loss().getClass()).increment();
        } else if (event instanceof TenureEvent.Handover handover) {
            of(handover.election()).handovers(handover.failover()).record(handover.took());
        } else if (event instanceof TenureEvent.Drained drained) {
            of(drained.election()).drains(drained.overdue()).record(drained.took());
        } else if (event instanceof TenureEvent.FencesRaised raised) {
            of(raised.election()).raises(raised.raised()).record(raised.took());
        } else if (event instanceof TenureEvent.FenceRefused refused) {
            of(refused.election()).refusals().increment();
        }
    }

    /**
     * Finds or registers meters under common tags, and remembers them. Tags follow in pairs of key and value.
     *
     * @param registered to be removed at the end: a second client with the same tags would otherwise get the gauges of the first
     * @param reader reads a value after it has brought it up to date
     */
    record MeterFactory(
            MeterRegistry registry, Tags tags, Set<Meter> registered, ToDoubleFunction<DoubleSupplier> reader) {
        MeterFactory with(String... more) {
            return new MeterFactory(registry, tags.and(more), registered, reader);
        }

        /** @param unit a base unit, or an empty text */
        Gauge gauge(String name, String unit, String description, DoubleSupplier value) {
            return kept(Gauge.builder(name, () -> reader.applyAsDouble(value))
                    .baseUnit(unit.isEmpty() ? null : unit)
                    .description(description)
                    .tags(tags)
                    .register(registry));
        }

        FunctionCounter seconds(String name, String description, DoubleSupplier total) {
            return kept(FunctionCounter.builder(name, registry, any -> reader.applyAsDouble(total))
                    .baseUnit("seconds")
                    .description(description)
                    .tags(tags)
                    .register(registry));
        }

        Counter counter(String name, String description, String... more) {
            return kept(Counter.builder(name)
                    .description(description)
                    .tags(tags.and(more))
                    .register(registry));
        }

        Timer timer(String name, String description, String... more) {
            return kept(Timer.builder(name)
                    .description(description)
                    .tags(tags.and(more))
                    .register(registry));
        }

        private <M extends Meter> M kept(M meter) {
            registered.add(meter);
            return meter;
        }

        void remove(Meter meter) {
            registered.remove(meter);
            registry.remove(meter);
        }
    }
}
