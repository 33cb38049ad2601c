// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import dev.tenure.Grade;
import dev.tenure.local.CurrentDirectory.OpenDirectory;
import dev.tenure.local.MachineClock.ClockReading;
import dev.tenure.local.RecordFile.Version;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.BackendTraits.ExpiryDetection;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import dev.tenure.spi.support.BlockingCalls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Records in files of one machine, for any number of its processes, without a daemon.
 *
 * <p>Crash-safe without an fsync per write: a process that is killed loses nothing that the kernel has taken, and after a
 * power loss every session is over anyway (another boot id). What must survive that is that no token is issued twice, and
 * the era: {@code TokenCeiling} and the durable record {@code e} see to it.
 */
public final class LocalStore implements LeaseStore {
    private static final int READS_AT_ONCE_MAX = 4;
    private static final int VALUE_BYTES_MAX = RecordFile.BYTES_MAX / 2;

    private final Host host;
    private final MachineClock clock;
    private final String bootTag;
    private final ExpiryDetection judge;
    private final BlockingCalls reads;
    /** One after another: the ceiling is not safe for use by several threads. */
    private final BlockingCalls writes;

    private final DirectoryWatcher hints;
    private final CurrentDirectory current;

    /** What the store knows of the machine it runs on. */
    record MachineEnvironment(MachineClock clock, FileOps disk) {
        static MachineEnvironment thisOne() {
            return new MachineEnvironment(MachineClock.LinuxClock.ofThisMachine(), FileOps.ofThisMachine());
        }
    }

    private LocalStore(StateDirectory directory, Host host, MachineEnvironment machine) throws IOException {
        this.host = host;
        this.clock = machine.clock();
        this.bootTag = BootRecovery.tag(clock.bootId());
        this.judge = clock.now().isPresent() ? ExpiryDetection.SERVER_TIME : ExpiryDetection.OBSERVER;
        OpenDirectory opened = OpenDirectory.of(directory, machine, 0);
        this.reads = new BlockingCalls(host.io(), READS_AT_ONCE_MAX);
        this.writes = new BlockingCalls(host.io(), 1);
        this.hints = new DirectoryWatcher(opened, host);
        this.current = new CurrentDirectory(opened, host, machine, hints::follow);
    }

    /**
     * Opens this directory, which is made if only its last part is missing.
     *
     * @throws BackendException if the place cannot work; the message says what to do
     */
    public static LocalStore open(Path directory, Host host) {
        return open(directory.toAbsolutePath().normalize(), false, host, MachineEnvironment.thisOne());
    }

    /** @param ours whether it is the user's own, which is made with its parents */
    static LocalStore open(Path directory, boolean ours, Host host, MachineEnvironment machine) {
        StateDirectory opened = StateDirectory.open(directory, ours, machine.disk(), host.random());
        try {
            return new LocalStore(opened, host, machine);
        } catch (IOException failure) {
            throw FileErrors.of(opened.layout().root(), Effect.NONE, failure);
        }
    }

    @Override
    public BackendTraits traits() {
        return BackendTraits.of("local:" + current.known().layout().root())
                .grade(Grade.A, "")
                .scope(current.known().directory().scope())
                .ttl(Duration.ofMillis(500), Duration.ofHours(1))
                .expiry(judge)
                .tokens(BackendTraits.TokenSource.COUNTER)
                .wakeup(BackendTraits.Wakeup.WATCH)
                .build();
    }

    @Override
    public CompletionStage<Versioned> read(String key) {
        RecordKey slot = RecordKey.of(key);
        return call(reads, directory -> look(directory, key, slot));
    }

    @Override
    public CompletionStage<List<Versioned>> list(String prefix) {
        return call(reads, directory -> {
            List<Versioned> found = new ArrayList<>();
            // Before the first record is read: a reading taken too early can only make a life longer.
            Optional<ClockReading> now = clock.now();
            for (String kind : RecordKey.KINDS) {
                if (RecordKey.concerns(prefix, kind)) {
                    for (RecordKey slot : directory.records().slots(kind)) {
                        directory
                                .records()
                                .read(slot)
                                .filter(record -> record.key().startsWith(prefix))
                                .ifPresent(record -> found.add(versioned(directory, record, now)));
                    }
                }
            }
            return found;
        });
    }

    @Override
    public CompletionStage<WriteReply> compareAndSet(Write write) {
        RecordKey slot = RecordKey.of(write.key());
        Optional<Version> expected = write.expected().version().map(Version::parse);
        Optional<Duration> ttl = write.timeToLive().map(LocalStore::wholeMillis);
        if (write.value().getBytes(StandardCharsets.UTF_8).length > VALUE_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "a value may have " + VALUE_BYTES_MAX + " bytes at most: " + write.key());
        }
        return call(writes, directory -> {
            cover(directory, write.issues());
            FileRecords records = directory.records();
            Optional<ClockReading> now = clock.now();
            Version version = expected.map(old -> old.next(bootTag, host.random()))
                    .orElseGet(() -> Version.first(bootTag, host.random()));
            RecordFile record =
                    new RecordFile(write.key(), version, now.map(ClockReading::ofWrite), ttl, write.value());
            boolean applied =
                    expected.isPresent() ? records.replace(slot, expected.get(), record) : records.create(slot, record);
            return applied
                    ? new WriteReply.Applied(versioned(directory, record, now))
                    : new WriteReply.Refused(look(directory, write.key(), slot));
        });
    }

    @Override
    public CompletionStage<WriteReply> delete(Versioned expected) {
        String key = expected.key();
        RecordKey slot = RecordKey.of(key);
        Optional<Version> version = expected.version().map(Version::parse);
        return call(writes, directory -> {
            if (version.isPresent() && directory.records().remove(slot, version.get())) {
                return new WriteReply.Applied(Versioned.absent(key, clockMillis(directory)));
            }
            Versioned current = look(directory, key, slot);
            return version.isEmpty() && !current.isPresent()
                    ? new WriteReply.Applied(current)
                    : new WriteReply.Refused(current);
        });
    }

    @Override
    public Watch watch(String prefix, Consumer<String> changedKey) {
        return hints.watch(prefix, changedKey);
    }

    /** Calls that have not begun fail, without effect. */
    @Override
    public void close() {
        reads.close();
        writes.close();
        hints.close();
    }

    private Versioned look(OpenDirectory directory, String key, RecordKey slot) throws IOException {
        // Before the record is read: a reading taken too early can only make a life longer.
        Optional<ClockReading> now = clock.now();
        Optional<RecordFile> record = directory.records().read(slot);
        if (record.isEmpty()) {
            return Versioned.absent(key, clockMillis(directory));
        }
        if (!record.get().key().equals(key)) {
            throw FileErrors.corrupt(
                    directory.layout().record(slot),
                    "it is the record of '" + record.get().key() + "', and '" + key + "' was asked for");
        }
        return versioned(directory, record.get(), now);
    }

    private Versioned versioned(OpenDirectory directory, RecordFile record, Optional<ClockReading> now) {
        return new Versioned(
                record.key(),
                Optional.of(record.version().toString()),
                record.value(),
                ClockReading.lifeLeft(record, now),
                clockMillis(directory));
    }

    // Above every token of earlier boots, also where the wall clock is behind and where the record was lost.
    private long clockMillis(OpenDirectory directory) {
        return Math.max(host.wallMillis(), directory.floor() + 1);
    }

    /** Before a token is issued. The ceiling is raised by many tokens at once, so that most writes find it high enough. */
    private void cover(OpenDirectory directory, long token) throws IOException {
        if (token > 0 && !directory.ceiling().covers(token)) {
            directory.recovery().checkStillNoted(clock.bootId());
            directory.ceiling().cover(token);
        }
    }

    private static Duration wholeMillis(Duration ttl) {
        Duration rounded = Duration.ofMillis(ttl.plusNanos(999_999).toMillis());
        if (!RecordFile.isTtl(rounded)) {
            throw new IllegalArgumentException("a time to live of " + ttl + " is outside 1 ms to 24 h");
        }
        return rounded;
    }

    private interface FileAccess<T> {
        T run(OpenDirectory directory) throws IOException;
    }

    // FileRecords tells by itself when a failure came after the point of no return; every other one came before it.
    private <T> CompletionStage<T> call(BlockingCalls calls, FileAccess<T> access) {
        return calls.call(() -> {
            try {
                return access.run(current.get());
            } catch (IOException failure) {
                throw current.failed(failure);
            }
        });
    }
}
