// SPDX-License-Identifier: Apache-2.0
package dev.tenure.observability;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;

/** What a registry shows, each time as a scrape would find it. */
final class Reading {
    private final MockClock clock = new MockClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);

    MeterRegistry registry() {
        return registry;
    }

    double gauge(String name, String... tags) {
        clock.add(Duration.ofSeconds(1)); // the next scrape
        return registry.get(name).tags(tags).gauge().value();
    }

    double counter(String name, String... tags) {
        return registry.get(name).tags(tags).counter().count();
    }

    double total(String name, String... tags) {
        clock.add(Duration.ofSeconds(1));
        return registry.get(name).tags(tags).functionCounter().count();
    }

    long times(String name, String... tags) {
        return registry.get(name).tags(tags).timer().count();
    }

    Duration sum(String name, String... tags) {
        return Duration.ofNanos(
                (long) registry.get(name).tags(tags).timer().totalTime(java.util.concurrent.TimeUnit.NANOSECONDS));
    }

    long elections() {
        return registry.getMeters().stream()
                .map(Meter::getId)
                .filter(id -> id.getName().equals("tenure.leading"))
                .count();
    }
}
