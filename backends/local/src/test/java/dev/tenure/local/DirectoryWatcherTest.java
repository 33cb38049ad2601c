// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import static dev.tenure.local.Fixture.applied;
import static dev.tenure.local.Fixture.await;
import static dev.tenure.local.Fixture.put;
import static dev.tenure.local.Fixture.read;
import static dev.tenure.local.Fixture.write;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryWatcherTest {
    private final BlockingQueue<String> hints = new LinkedBlockingQueue<>();
    private Fixture fixture;
    private LocalStore writer;
    private LocalStore watcher;

    @BeforeEach
    void open(@TempDir Path directory) {
        fixture = new Fixture(directory);
        writer = fixture.open();
        watcher = fixture.open();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void a_creation_and_a_change_are_told() throws InterruptedException {
        watcher.watch("c/", hints::add);

        Versioned claim = put(writer, "c/a", "one");
        assertThat(hint()).isEqualTo("c/a");
        applied(write(writer, claim, "two"));
        assertThat(hint()).isEqualTo("c/a");
    }

    @Test
    void what_a_hint_tells_can_be_read() throws InterruptedException {
        BlockingQueue<String> values = new LinkedBlockingQueue<>();
        watcher.watch("c/", key -> values.add(read(watcher, key).value()));

        Versioned claim = put(writer, "c/a", "0");
        for (int i = 1; i < 200; i++) {
            claim = applied(write(writer, claim, "" + i));
            String told = values.poll(20, TimeUnit.SECONDS);
            while (told != null && Integer.parseInt(told) < i) {
                told = values.poll(20, TimeUnit.SECONDS);
            }
            assertThat(told).isEqualTo("" + i);
        }
    }

    @Test
    void only_the_prefix_is_told() throws InterruptedException {
        watcher.watch("c/b", hints::add);

        put(writer, "s/b", "session");
        put(writer, "c/a", "claim");
        put(writer, "c/b", "claim");

        assertThat(hint()).isEqualTo("c/b");
        assertThat(hints).isEmpty();
    }

    @Test
    void the_writer_itself_is_told_too() throws InterruptedException {
        writer.watch("c/", hints::add);

        put(writer, "c/a", "claim");

        assertThat(hint()).isEqualTo("c/a");
    }

    @Test
    void after_close_no_hint_starts() throws InterruptedException {
        Watch first = watcher.watch("c/", key -> hints.add("first"));
        watcher.watch("c/", key -> hints.add("second"));
        first.close();
        first.close();

        put(writer, "c/a", "claim");

        assertThat(hint()).isEqualTo("second");
        assertThat(hints).isEmpty();
    }

    @Test
    void a_watcher_that_fails_does_not_end_the_watch() throws InterruptedException {
        watcher.watch("c/", key -> {
            hints.add(key);
            throw new IllegalStateException("on purpose");
        });

        put(writer, "c/a", "claim");
        assertThat(hint()).isEqualTo("c/a");
        put(writer, "c/b", "claim");
        assertThat(hint()).isEqualTo("c/b");
    }

    @Test
    void a_watch_survives_records_that_vanish() throws InterruptedException {
        watcher.watch("o/", hints::add);

        for (int i = 0; i < 50; i++) {
            applied(await(writer.delete(put(writer, "o/a", "request"))));
        }
        put(writer, "o/b", "request");

        String told = hint();
        while (told.equals("o/a")) {
            told = hint();
        }
        assertThat(told).isEqualTo("o/b");
    }

    @Test
    void more_changes_than_the_kernel_queues_are_told_all() throws InterruptedException {
        Set<String> missing = new HashSet<>();
        List<CompletionStage<WriteReply>> claims = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            Versioned absent = Versioned.absent("c/election-" + i, 0);
            claims.add(writer.compareAndSet(new Write(absent, "claim", Optional.empty(), 0)));
            missing.add(absent.key());
        }
        List<Versioned> claimed =
                claims.stream().map(claim -> applied(await(claim))).toList();
        watcher.watch("c/", hints::add);

        claimed.forEach(claim -> writer.compareAndSet(new Write(claim, "vacant", Optional.empty(), 0)));

        while (!missing.isEmpty()) {
            String told = hint();
            if (told.equals("c/")) { // there were too many to keep: whoever watches looks at all
                missing.removeIf(key -> read(watcher, key).value().equals("vacant"));
            }
            missing.remove(told);
        }
    }

    @Test
    void closing_the_store_ends_the_watch() throws InterruptedException {
        watcher.watch("c/", hints::add);

        watcher.close();
        put(writer, "c/a", "claim");
        writer.watch("c/", hints::add);
        put(writer, "c/b", "claim");

        assertThat(hint()).isEqualTo("c/b");
        assertThat(hints).isEmpty();
    }

    private String hint() throws InterruptedException {
        String key = hints.poll(20, TimeUnit.SECONDS);
        assertThat(key).as("no hint within 20 s").isNotNull();
        return key;
    }
}
