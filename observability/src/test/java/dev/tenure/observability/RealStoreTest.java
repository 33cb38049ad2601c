// SPDX-License-Identifier: Apache-2.0
package dev.tenure.observability;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.Leadership;
import dev.tenure.Tenure;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On files, with the real loop, threads and clock. */
final class RealStoreTest {
    private static final Duration SOON = ofSeconds(30);

    @TempDir
    private Path folder;

    private Tenure open(String node) {
        return Tenure.connect("local:" + folder.resolve("state"))
                .node(node)
                .ttl(ofSeconds(2))
                .open();
    }

    private static void untilLost(Leadership leadership) throws InterruptedException {
        while (leadership.isActive()) {
            leadership.rest(ofSeconds(60));
        }
    }

    private static double leading(MeterRegistry registry) {
        Gauge gauge =
                registry.find("tenure.leading").tags("election", "sweeper").gauge();
        return gauge == null ? 0 : gauge.value(); // an election is registered a moment after it begins
    }

    @Test
    void a_handover_is_counted_on_both_sides() {
        SimpleMeterRegistry first = new SimpleMeterRegistry();
        SimpleMeterRegistry second = new SimpleMeterRegistry();
        try (Tenure a = open("a");
                Tenure b = open("b")) {
            TenureMeters.of(a).bindTo(first);
            TenureMeters.of(b).bindTo(second);
            TenureHealth healthOfB = TenureHealth.of(b);
            var leader = a.elect("sweeper").perform(RealStoreTest::untilLost);
            await().atMost(SOON).until(() -> leading(first) == 1);
            b.elect("sweeper").perform(RealStoreTest::untilLost);
            await().atMost(SOON)
                    .until(() -> b.stats().byElection().values().stream()
                            .anyMatch(here -> here.leader().isPresent()));
            assertThat(healthOfB.check().healthy()).isTrue();
            assertThat(healthOfB.check().details().toString()).contains("standing=standby, leader=a");

            leader.resign("test");
            await().atMost(SOON).until(() -> leading(second) == 1);

            await().atMost(SOON)
                    .until(() -> first.get("tenure.losses")
                                    .tags("reason", "resigned")
                                    .counter()
                                    .count()
                            == 1);
            await().atMost(SOON)
                    .until(() -> second.get("tenure.handover").timers().stream()
                                    .mapToLong(timer -> timer.count())
                                    .sum()
                            == 1);
            await().atMost(SOON)
                    .until(() -> second.get("tenure.terms").counter().count() == 1);
            assertThat(healthOfB.check().leads("sweeper")).isTrue();
            assertThat(first.get("tenure.info")
                            .tags("store", "local", "grade", "A")
                            .gauge()
                            .value())
                    .isEqualTo(1);
            await().atMost(SOON)
                    .until(() -> first.get("tenure.renewals")
                                    .tags("outcome", "acknowledged")
                                    .timer()
                                    .count()
                            > 2);
        }
    }

    @Test
    void a_registry_that_blocks_delays_nobody() throws InterruptedException {
        SimpleMeterRegistry blocked = new SimpleMeterRegistry();
        SimpleMeterRegistry other = new SimpleMeterRegistry();
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (Tenure tenure = open("a")) {
            TenureMeters.of(tenure).bindTo(blocked);
            TenureMeters.of(tenure).bindTo(other);
            blocked.config().meterFilter(new MeterFilter() {
                @Override
                public Meter.Id map(Meter.Id id) {
                    entered.countDown();
                    try {
                        end.await();
                    } catch (InterruptedException ended) {
                        Thread.currentThread().interrupt();
                    }
                    return id;
                }
            });

            tenure.elect("sweeper").perform(RealStoreTest::untilLost);
            entered.await();

            await().atMost(SOON).until(() -> leading(other) == 1);
            long renewed = tenure.stats().renewals();
            await().atMost(SOON).until(() -> tenure.stats().renewals() > renewed + 3);
            assertThat(leading(other)).isEqualTo(1);
            await().atMost(SOON).until(() -> other.get("tenure.terms").counter().count() == 1);
            end.countDown();
        } finally {
            end.countDown();
        }
    }

    @Test
    void gauges_outlive_a_garbage_collection() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (Tenure tenure = open("a")) {
            WeakReference<TenureMeters> binder = bind(tenure, registry);
            tenure.elect("sweeper").perform(RealStoreTest::untilLost);
            await().atMost(SOON).until(() -> leading(registry) == 1);

            await().atMost(SOON).until(() -> {
                System.gc();
                return binder.get() == null; // nobody keeps the binder, so a collection has happened
            });

            assertThat(leading(registry)).isEqualTo(1);
            assertThat(registry.get("tenure.vacant").functionCounter().count()).isPositive();
        }
    }

    private static WeakReference<TenureMeters> bind(Tenure tenure, MeterRegistry registry) {
        TenureMeters binder = TenureMeters.of(tenure);
        binder.bindTo(registry);
        return new WeakReference<>(binder);
    }
}
