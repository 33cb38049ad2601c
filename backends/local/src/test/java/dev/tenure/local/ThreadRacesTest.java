// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import static dev.tenure.local.Fixture.await;
import static dev.tenure.local.Fixture.put;
import static dev.tenure.local.Fixture.read;
import static dev.tenure.local.Fixture.write;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.local.RecordFile.Version;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.WriteReply;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThreadRacesTest {
    private static final int THREADS = 8;

    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private Fixture fixture;

    @BeforeEach
    void open(@TempDir Path directory) {
        fixture = new Fixture(directory);
        fixture.open();
    }

    @AfterEach
    void close() {
        fixture.close();
        threads.shutdown();
    }

    @Test
    void no_increment_is_lost() {
        int each = 250;

        inParallel(seed -> {
            LocalStore store = openAnother();
            int done = 0;
            while (done < each) {
                Versioned counter = read(store, "c/counter");
                int value = counter.isPresent() ? Integer.parseInt(counter.value()) : 0;
                if (write(store, counter, "" + (value + 1)) instanceof WriteReply.Applied) {
                    done++;
                }
            }
        });

        assertThat(read(openAnother(), "c/counter").value()).isEqualTo("" + THREADS * each);
    }

    @Test
    void creations_changes_and_deletions_form_one_chain() throws IOException {
        Chain chain = new Chain();

        inParallel(seed -> {
            Random random = new Random(seed);
            FileRecords records = new FileRecords(fixture.layout(), directoryAccess(), fixture.disk);
            for (int i = 0; i < 1500; i++) {
                step(records, random, chain);
            }
        });

        Optional<RecordFile> last = records().read(RecordKey.of("o/a"));
        chain.endsAt(last.map(record -> record.version().toString()).orElse(Chain.ABSENT));
        assertThat(chain.steps()).isGreaterThan(1000);
        assertThat(Fixture.names(fixture.layout().values())).hasSize(last.isPresent() ? 1 : 0);
    }

    @Test
    void a_reader_never_goes_back_and_never_misses_a_record_that_is_there() {
        put(fixture.open(), "c/counter", "0");
        List<CompletableFuture<Void>> writers = new ArrayList<>();
        for (int w = 0; w < 2; w++) {
            writers.add(CompletableFuture.runAsync(
                    () -> {
                        LocalStore store = openAnother();
                        for (int i = 0; i < 2000; i++) {
                            Versioned counter = read(store, "c/counter");
                            write(store, counter, "" + (Integer.parseInt(counter.value()) + 1));
                        }
                    },
                    threads));
        }

        LocalStore reader = openAnother();
        int last = 0;
        int reads = 0;
        while (writers.stream().anyMatch(writer -> !writer.isDone())) {
            Versioned counter = read(reader, "c/counter");
            assertThat(counter.isPresent()).isTrue();
            int value = Integer.parseInt(counter.value());
            assertThat(value).isGreaterThanOrEqualTo(last);
            last = value;
            reads++;
        }

        writers.forEach(Fixture::await);
        assertThat(reads).isGreaterThan(100);
    }

    @Test
    void a_writer_that_stopped_before_its_rename_cannot_win_later() throws IOException {
        FileRecords slow = records();
        RecordKey slot = RecordKey.of("c/a");
        LeaseStore store = fixture.open();
        Versioned expected = put(store, "c/a", "one");
        Version old = Version.parse(expected.version().orElseThrow());
        put(store, "c/a", "two");
        Versioned current = put(store, "c/a", "three");

        boolean applied = slow.replace(slot, old, record(old.next("11111111", 42)));

        assertThat(applied).isFalse();
        assertThat(slow.remove(slot, old)).isFalse();
        assertThat(read(store, "c/a")).isEqualTo(current);
        assertThat(Fixture.names(fixture.layout().values())).hasSize(1);
    }

    private static void step(FileRecords records, Random random, Chain chain) {
        RecordKey slot = RecordKey.of("o/a");
        try {
            Optional<Version> current = records.read(slot).map(RecordFile::version);
            String from = current.map(Version::toString).orElse(Chain.ABSENT);
            if (current.isPresent() && random.nextInt(3) == 0) {
                if (records.remove(slot, current.get())) {
                    chain.step(from, Chain.ABSENT);
                }
                return;
            }
            Version next = current.map(version -> version.next("11111111", random.nextLong()))
                    .orElseGet(() -> Version.first("11111111", random.nextLong()));
            RecordFile record = new RecordFile("o/a", next, Optional.empty(), Optional.empty(), "x");
            boolean applied =
                    current.isPresent() ? records.replace(slot, current.get(), record) : records.create(slot, record);
            if (applied) {
                chain.step(from, next.toString());
            }
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    private static RecordFile record(Version version) {
        return new RecordFile("c/a", version, Optional.empty(), Optional.empty(), "zombie");
    }

    private FileRecords records() {
        return new FileRecords(fixture.layout(), directoryAccess(), fixture.disk);
    }

    private FilePermissions directoryAccess() {
        try {
            return FilePermissions.like(fixture.directory);
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    private synchronized LocalStore openAnother() {
        return fixture.open();
    }

    private void inParallel(Consumer<Integer> body) {
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            int seed = t;
            running.add(CompletableFuture.runAsync(() -> body.accept(seed), threads));
        }
        running.forEach(each -> await(each));
    }
}
