// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import static dev.tenure.local.Fixture.applied;
import static dev.tenure.local.Fixture.read;
import static dev.tenure.local.Fixture.write;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.local.MachineClock.ClockReading;
import dev.tenure.local.MachineClock.LinuxClock;
import dev.tenure.local.RecordFile.Version;
import dev.tenure.spi.BackendTraits.ExpiryDetection;
import dev.tenure.spi.Versioned;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LifeTest {
    private static final Duration TTL = Duration.ofSeconds(10);

    private Fixture fixture;
    private LocalStore store;

    @BeforeEach
    void open(@TempDir Path directory) {
        fixture = new Fixture(directory);
        store = fixture.open();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void a_new_record_has_its_whole_life_before_it() {
        Versioned session = applied(write(store, read(store, "s/a"), "beat", TTL));

        assertThat(session.life()).contains(TTL);
        assertThat(read(store, "s/a").life()).contains(TTL);
        assertThat(store.traits().expiry()).isEqualTo(ExpiryDetection.SERVER_TIME);
    }

    @Test
    void its_life_ends_by_the_uptime_of_the_machine_and_not_before() {
        write(store, read(store, "s/a"), "beat", TTL);

        fixture.clock.uptimeMillis += TTL.toMillis();
        assertThat(read(store, "s/a").hasExpired()).isFalse();

        fixture.clock.uptimeMillis += 10;
        assertThat(read(store, "s/a").hasExpired()).isTrue();
        assertThat(read(store, "s/a").isPresent()).isTrue();
    }

    @Test
    void it_never_ends_early_whatever_the_rounding() {
        Random random = new Random(7);

        for (int i = 0; i < 10_000; i++) {
            double written = random.nextDouble() * 1000;
            double now = written + random.nextDouble() * 200;
            long ttlMillis = 1 + random.nextInt(200);
            Optional<ClockReading> reading = Optional.of(stamp((long) (written / 10) * 10));
            RecordFile record = record(reading.map(ClockReading::ofWrite), Duration.ofMillis(ttlMillis));

            Duration left = ClockReading.lifeLeft(record, Optional.of(stamp((long) (now / 10) * 10)))
                    .orElseThrow();

            assertThat(left.isZero() && now - written < ttlMillis)
                    .as("written at %s, read at %s, ttl %s", written, now, ttlMillis)
                    .isFalse();
        }
    }

    @Test
    void a_renewal_begins_a_new_life() {
        Versioned session = applied(write(store, read(store, "s/a"), "beat 1", TTL));
        fixture.clock.uptimeMillis += 9_000;

        write(store, session, "beat 2", TTL);

        fixture.clock.uptimeMillis += 9_000;
        assertThat(read(store, "s/a").hasExpired()).isFalse();
    }

    @Test
    void a_record_without_time_to_live_has_no_life() {
        write(store, read(store, "c/a"), "claim");

        assertThat(read(store, "c/a").life()).isEmpty();
    }

    @Test
    void a_session_of_another_boot_is_over() {
        write(store, read(store, "s/a"), "beat", TTL);
        fixture.clock.bootId = ManualClock.NEXT_BOOT;
        fixture.clock.uptimeMillis = 5;

        assertThat(read(fixture.open(), "s/a").hasExpired()).isTrue();
    }

    @Test
    void a_clock_of_another_time_namespace_does_not_judge() {
        write(store, read(store, "s/a"), "beat", TTL);
        fixture.clock.timeNamespace = "4026532999";
        fixture.clock.uptimeMillis += 1_000_000;

        assertThat(read(store, "s/a").life()).isEmpty();
    }

    @Test
    void a_stamp_from_the_future_is_not_believed() {
        write(store, read(store, "s/a"), "beat", TTL);

        fixture.clock.uptimeMillis -= 5;
        assertThat(read(store, "s/a").life()).contains(TTL);

        fixture.clock.uptimeMillis -= 500_000;
        assertThat(read(store, "s/a").life()).isEmpty();
    }

    @Test
    void a_part_of_a_millisecond_counts_as_one() {
        Versioned session = applied(write(store, read(store, "s/a"), "beat", Duration.ofNanos(1_500_000_001)));

        assertThat(session.life()).contains(Duration.ofMillis(1501));
    }

    @Test
    void without_a_machine_clock_observers_judge() {
        LocalStore elsewhere = fixture.open(MachineClock.none());

        write(elsewhere, read(elsewhere, "s/a"), "beat", TTL);

        assertThat(elsewhere.traits().expiry()).isEqualTo(ExpiryDetection.OBSERVER);
        assertThat(read(elsewhere, "s/a").life()).isEmpty();
        assertThat(read(store, "s/a").life()).isEmpty();
    }

    @Test
    void the_clock_of_this_machine_is_read_from_proc(@TempDir Path proc) throws IOException {
        Files.createDirectories(proc.resolve("sys/kernel/random"));
        Files.createDirectories(proc.resolve("self/ns"));
        Files.writeString(proc.resolve("sys/kernel/random/boot_id"), ManualClock.BOOT + "\n");
        Files.writeString(proc.resolve("uptime"), "964.34 1795.46\n");
        Files.createSymbolicLink(proc.resolve("self/ns/time"), Path.of("time:[4026531834]"));

        MachineClock clock = LinuxClock.at(proc, "proc");

        assertThat(clock.now()).contains(new ClockReading(ManualClock.BOOT, "4026531834", 964_340));
        Files.delete(proc.resolve("self/ns/time"));
        assertThat(LinuxClock.at(proc, "proc").now().orElseThrow().timeNamespace())
                .isEqualTo("0");
        Files.writeString(proc.resolve("uptime"), "soon");
        assertThat(LinuxClock.at(proc, "proc").bootId()).isEmpty();
    }

    @Test
    void an_uptime_that_is_not_the_kernels_is_not_believed(@TempDir Path proc) throws IOException {
        Files.createDirectories(proc.resolve("sys/kernel/random"));
        Files.writeString(proc.resolve("sys/kernel/random/boot_id"), ManualClock.BOOT + "\n");
        Files.writeString(proc.resolve("uptime"), "3.00 1.00\n");

        MachineClock clock = LinuxClock.at(proc, "fuse.lxcfs");

        assertThat(clock.now()).isEmpty();
        assertThat(clock.bootId()).contains(ManualClock.BOOT);
        assertThat(fixture.open(clock).traits().expiry()).isEqualTo(ExpiryDetection.OBSERVER);
    }

    private static ClockReading stamp(long uptimeMillis) {
        return new ClockReading(ManualClock.BOOT, "1", uptimeMillis);
    }

    private static RecordFile record(Optional<ClockReading> written, Duration ttl) {
        return new RecordFile("s/a", Version.first("11111111", 1), written, Optional.of(ttl), "");
    }
}
