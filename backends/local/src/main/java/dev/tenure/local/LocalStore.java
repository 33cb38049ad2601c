package dev.tenure.local;

import dev.tenure.Grade;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.BackendTraits.ExpiryJudge;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Records in files of one machine, for any number of its processes, without a daemon.
 *
 * <p>Crash-safe without an fsync per write: a process that is killed loses nothing that the kernel has taken, and after a
 * power loss every session is over anyway (another boot id). What must survive that is that no token is issued twice, and
 * the era: {@code Ceiling} and the durable record {@code e} see to it.
 */
public final class LocalStore implements LeaseStore {
    private static final int VALUE_BYTES_MAX = RecordFile.BYTES_MAX / 2;

    private final StateDirectory directory;
    private final Layout layout;
    private final Host host;
    private final MachineClock clock;
    private final String bootTag;
    private final ExpiryJudge judge;
    private final Records records;
    private final Ceiling ceiling;
    private final BootRecovery recovery;
    private final long floor;
    private final WriteQueue writes;
    private final Hints hints;
    private volatile boolean closed;

    private LocalStore(StateDirectory directory, Host host, Machine machine) throws IOException {
        this.directory = directory;
        this.layout = directory.layout();
        this.host = host;
        this.clock = machine.clock();
        this.bootTag = BootRecovery.tag(clock.bootId());
        this.judge = clock.now().isPresent() ? ExpiryJudge.SERVER_TIME : ExpiryJudge.OBSERVER;
        this.records = new Records(layout, directory.access(), machine.disk());
        this.ceiling = new Ceiling(layout, directory.access(), machine.disk());
        this.recovery = new BootRecovery(layout, directory.access(), records, ceiling);
        this.floor = recovery.floor(clock.bootId());
        this.writes = new WriteQueue(host.io(), this::cover);
        this.hints = new Hints(layout, records, host);
    }

    /**
     * Opens this directory, which is made if only its last part is missing.
     *
     * @throws BackendException if the place cannot work; the message says what to do
     */
    public static LocalStore open(Path directory, Host host) {
        Machine machine = Machine.thisOne();
        Path absolute = directory.toAbsolutePath().normalize();
        return open(StateDirectory.openNamed(absolute, machine.disk(), host.random()), host, machine);
    }

    static LocalStore open(StateDirectory directory, Host host, Machine machine) {
        try {
            return new LocalStore(directory, host, machine);
        } catch (IOException failure) {
            throw Trouble.of(directory.layout().root(), Effect.NONE, failure);
        }
    }

    @Override
    public BackendTraits traits() {
        return new BackendTraits(
                "local:" + layout.root(),
                Grade.A,
                "",
                directory.scope(),
                Duration.ofMillis(500),
                Duration.ofHours(1),
                Duration.ofMillis(1),
                judge,
                BackendTraits.TokenSource.COUNTER,
                BackendTraits.Wakeup.WATCH);
    }

    @Override
    public CompletionStage<Versioned> read(String key) {
        Slot slot = Slot.of(key);
        return answer(() -> look(key, slot));
    }

    @Override
    public CompletionStage<List<Versioned>> list(String prefix) {
        return answer(() -> {
            List<Versioned> found = new ArrayList<>();
            // Before the first record is read: a reading taken too early can only make a life longer.
            Optional<Stamp> now = clock.now();
            for (String kind : Slot.KINDS) {
                if (Slot.concerns(prefix, kind)) {
                    for (Slot slot : records.slots(kind)) {
                        records.read(slot)
                                .filter(record -> record.key().startsWith(prefix))
                                .ifPresent(record -> found.add(versioned(record, now)));
                    }
                }
            }
            return found;
        });
    }

    @Override
    public CompletionStage<WriteReply> compareAndSet(Write write) {
        Slot slot = Slot.of(write.key());
        Optional<Version> expected = write.expected().version().map(Version::parse);
        Optional<Duration> ttl = write.timeToLive().map(LocalStore::wholeMillis);
        if (write.value().getBytes(StandardCharsets.UTF_8).length > VALUE_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "a value may have " + VALUE_BYTES_MAX + " bytes at most: " + write.key());
        }
        return enqueue(write.issues(), () -> {
            Optional<Stamp> now = clock.now();
            Version version = expected.map(old -> old.next(bootTag, host.random()))
                    .orElseGet(() -> Version.first(bootTag, host.random()));
            RecordFile record = new RecordFile(write.key(), version, Life.stamp(clock, now), ttl, write.value());
            boolean applied =
                    expected.isPresent() ? records.replace(slot, expected.get(), record) : records.create(slot, record);
            return applied
                    ? new WriteReply.Applied(versioned(record, now))
                    : new WriteReply.Refused(look(write.key(), slot));
        });
    }

    @Override
    public CompletionStage<WriteReply> delete(Versioned expected) {
        String key = expected.key();
        Slot slot = Slot.of(key);
        Optional<Version> version = expected.version().map(Version::parse);
        return enqueue(0, () -> {
            if (version.isPresent() && records.remove(slot, version.get())) {
                return new WriteReply.Applied(Versioned.absent(key, clockMillis()));
            }
            Versioned current = look(key, slot);
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
        closed = true;
        writes.close();
        hints.close();
    }

    private Versioned look(String key, Slot slot) throws IOException {
        // Before the record is read: a reading taken too early can only make a life longer.
        Optional<Stamp> now = clock.now();
        Optional<RecordFile> record = records.read(slot);
        if (record.isEmpty()) {
            return Versioned.absent(key, clockMillis());
        }
        if (!record.get().key().equals(key)) {
            throw Trouble.corrupt(
                    layout.record(slot),
                    "it is the record of '" + record.get().key() + "', and '" + key + "' was asked for");
        }
        return versioned(record.get(), now);
    }

    private Versioned versioned(RecordFile record, Optional<Stamp> now) {
        return new Versioned(
                record.key(),
                Optional.of(record.version().toString()),
                record.value(),
                Life.left(record, now),
                clockMillis());
    }

    // Above every token of earlier boots, also where the wall clock is behind and where the record was lost.
    private long clockMillis() {
        return Math.max(host.wallMillis(), floor + 1);
    }

    private void cover(long token) {
        if (ceiling.covers(token)) {
            return;
        }
        try {
            recovery.checkStillNoted(clock.bootId());
            ceiling.cover(token);
        } catch (IOException failure) {
            throw Trouble.of(layout.root(), Effect.NONE, failure);
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
        T run() throws IOException;
    }

    private CompletionStage<WriteReply> enqueue(long issues, FileAccess<WriteReply> access) {
        return writes.add(new WriteQueue.Task() {
            @Override
            public WriteReply run() {
                return withoutEffect(access);
            }

            @Override
            public long issues() {
                return issues;
            }
        });
    }

    private <T> CompletionStage<T> answer(FileAccess<T> access) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        if (closed) {
            // At once: a host that was shut down would not even run it.
            reply.completeExceptionally(WriteQueue.afterClose());
            return reply;
        }
        try {
            host.io().execute(() -> {
                try {
                    reply.complete(withoutEffect(access));
                } catch (RuntimeException | Error failure) {
                    reply.completeExceptionally(failure);
                }
            });
        } catch (RejectedExecutionException shutDown) {
            reply.completeExceptionally(WriteQueue.afterClose());
        }
        return reply;
    }

    // Records tells by itself when a failure came after the point of no return; every other one came before it.
    private <T> T withoutEffect(FileAccess<T> access) {
        if (closed) {
            throw WriteQueue.afterClose();
        }
        try {
            return access.run();
        } catch (IOException failure) {
            throw Trouble.of(layout.root(), Effect.NONE, failure);
        }
    }
}
