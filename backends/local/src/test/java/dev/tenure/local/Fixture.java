// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import dev.tenure.local.LocalStore.MachineEnvironment;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** A state directory, a machine and a host that a test controls, and calls that wait for their answer. */
final class Fixture implements AutoCloseable {
    final Path directory;
    final ManualClock clock = new ManualClock();
    final CountingFileOps disk = new CountingFileOps();
    final WallHost host = new WallHost();
    private final List<LocalStore> opened = new ArrayList<>();

    Fixture(Path directory) {
        this.directory = directory;
    }

    LocalStore open() {
        return open(clock);
    }

    LocalStore open(MachineClock machineClock) {
        MachineEnvironment machine = new MachineEnvironment(machineClock, disk);
        LocalStore store = LocalStore.open(directory, false, host, machine);
        opened.add(store);
        return store;
    }

    StatePaths layout() {
        return new StatePaths(directory);
    }

    static Versioned read(LeaseStore store, String key) {
        return await(store.read(key));
    }

    static WriteReply write(LeaseStore store, Versioned expected, String value) {
        return write(store, expected, value, 0);
    }

    static WriteReply write(LeaseStore store, Versioned expected, String value, long issues) {
        return await(store.compareAndSet(new Write(expected, value, Optional.empty(), issues)));
    }

    static WriteReply write(LeaseStore store, Versioned expected, String value, Duration ttl) {
        return await(store.compareAndSet(new Write(expected, value, Optional.of(ttl), 0)));
    }

    /** Writes whatever stands there now. */
    static Versioned put(LeaseStore store, String key, String value) {
        return applied(write(store, read(store, key), value));
    }

    static Versioned applied(WriteReply reply) {
        if (reply instanceof WriteReply.Applied applied) {
            return applied.now();
        }
        throw new AssertionError("not applied: " + reply);
    }

    static Versioned refused(WriteReply reply) {
        if (reply instanceof WriteReply.Refused refused) {
            return refused.current();
        }
        throw new AssertionError("not refused: " + reply);
    }

    static <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof BackendException sentence) {
                throw sentence;
            }
            throw new CompletionException(failure.getCause());
        } catch (InterruptedException | TimeoutException failure) {
            throw new AssertionError(failure);
        }
    }

    static List<String> names(Path folder) {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The file that says what the record says now. */
    Path valueOf(String key) {
        RecordKey slot = RecordKey.of(key);
        return directory
                .resolve("values")
                .resolve(slot + "." + names(layout().record(slot)).get(0));
    }

    @Override
    public void close() {
        opened.forEach(LocalStore::close);
        host.shutdown();
    }
}
