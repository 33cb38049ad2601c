package dev.tenure.observability;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.Set;
import java.util.function.DoubleSupplier;
import java.util.function.ToDoubleFunction;

/**
 * Finds or registers meters under common tags, and remembers them. Tags follow in pairs of key and value.
 *
 * @param registered to be removed at the end: a second client with the same tags would otherwise get the gauges of the first
 * @param reader reads a value after it has brought it up to date
 */
record MeterFactory(MeterRegistry registry, Tags tags, Set<Meter> registered, ToDoubleFunction<DoubleSupplier> reader) {
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
