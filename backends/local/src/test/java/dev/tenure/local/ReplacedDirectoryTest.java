// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import static dev.tenure.local.Fixture.applied;
import static dev.tenure.local.Fixture.await;
import static dev.tenure.local.Fixture.names;
import static dev.tenure.local.Fixture.put;
import static dev.tenure.local.Fixture.read;
import static dev.tenure.local.Fixture.refused;
import static dev.tenure.local.Fixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Versioned;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Somebody removes the state directory under the feet of those who use it, or puts another one in its place. */
@Execution(ExecutionMode.CONCURRENT)
class ReplacedDirectoryTest {
    @TempDir
    private Path temp;

    private Fixture fixture;
    private LocalStore store;

    @BeforeEach
    void open() throws IOException {
        Files.createDirectory(temp.resolve("parent"));
        fixture = new Fixture(temp.resolve("parent/state"));
        store = fixture.open();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    static void remove(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path path : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(path);
            }
        }
    }

    /** As a backup beside a living process: what is gone before it is copied, such as a record in the making, is left out. */
    static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                Files.createDirectory(to.resolve(from.relativize(folder)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                try {
                    Files.copy(file, to.resolve(from.relativize(file)));
                } catch (NoSuchFileException gone) {
                    return visitFileFailed(file, gone);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }
        });
    }

    /** What is answered when the directory is used again. */
    private static <T> T settled(Callable<T> call) {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .ignoreExceptionsMatching(
                        failure -> failure instanceof BackendException refused && refused.kind() == Kind.UNREACHABLE)
                .until(call, answer -> true);
    }

    @Test
    void a_removed_directory_is_made_anew_and_has_nothing_in_it() throws IOException {
        Versioned claim = put(store, "c/billing", "held");
        remove(fixture.directory);

        Versioned late = refused(settled(() -> write(store, claim, "late")));
        Versioned next = applied(write(store, read(store, "c/billing"), "next"));

        assertThat(late.isPresent()).isFalse();
        assertThat(next.value()).isEqualTo("next");
        assertThat(await(store.list("c/"))).hasSize(1);
        assertThat(read(fixture.open(), "c/billing").value()).isEqualTo("next");
    }

    @Test
    void nothing_is_written_while_somebody_may_still_be_removing_it() throws IOException {
        remove(fixture.directory);

        assertThatThrownBy(() -> write(store, Versioned.absent("c/x", 0), "claim"))
                .isInstanceOfSatisfying(BackendException.class, failure -> {
                    assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
                    assertThat(failure.effect()).isEqualTo(BackendException.Effect.NONE);
                });

        assertThat(fixture.directory).doesNotExist();
    }

    @Test
    void a_directory_that_was_emptied_is_filled_again() throws IOException {
        put(store, "c/billing", "held");
        for (String name : names(fixture.directory)) {
            remove(fixture.directory.resolve(name));
        }

        Versioned claim = settled(() -> read(store, "c/billing"));

        assertThat(claim.isPresent()).isFalse();
        assertThat(put(store, "c/billing", "next").value()).isEqualTo("next");
    }

    @Test
    void one_that_loses_its_folders_while_it_is_in_use_gets_them_back() throws IOException {
        put(store, "c/billing", "held");
        remove(fixture.layout().values());
        remove(fixture.layout().records("c"));

        Versioned claim = settled(() -> put(store, "c/x", "claim"));

        assertThat(claim.value()).isEqualTo("claim");
    }

    @Test
    void one_that_lost_its_values_is_missing_them_for_a_moment_and_then_damaged() throws IOException {
        put(store, "e", "era");
        remove(fixture.layout().values());

        Kind first = kindOf(() -> read(store, "e"));
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> kindOf(() -> read(store, "e")) == Kind.CORRUPT);

        assertThat(first).isEqualTo(Kind.UNREACHABLE);
    }

    private static Kind kindOf(ThrowingCallable call) {
        return ((BackendException) catchThrowable(call)).kind();
    }

    @Test
    void one_without_a_note_of_this_boot_is_recovered_before_it_is_used() throws IOException {
        put(store, "c/billing", "held");
        Path backup = temp.resolve("backup");
        copy(fixture.directory, backup);
        for (String note : names(backup.resolve("boot"))) {
            Files.delete(backup.resolve("boot").resolve(note));
        }
        Files.move(fixture.directory, temp.resolve("aside"));
        Files.move(backup, fixture.directory);

        Versioned claim = settled(() -> read(store, "c/billing"));
        applied(write(store, claim, "next", 77L));

        assertThat(names(fixture.layout().boot())).hasSize(1);
    }

    @Test
    void the_ceiling_is_raised_in_the_new_directory_before_a_token_is_issued_there() throws IOException {
        long token = 1L << 40;
        applied(write(store, Versioned.absent("c/billing", 0), "held", token));
        remove(fixture.directory);

        applied(settled(() -> write(store, Versioned.absent("c/billing", 0), "next", token + 1)));

        assertThat(names(fixture.layout().ceiling()))
                .singleElement()
                .satisfies(name -> assertThat(Long.parseLong(name)).isGreaterThan(token));
    }

    @Test
    void a_watcher_is_told_that_anything_may_have_changed_and_hears_of_the_new_one() throws Exception {
        BlockingQueue<String> hints = new LinkedBlockingQueue<>();
        store.watch("c/", hints::add);

        remove(fixture.directory);
        String removed = hints.poll(20, TimeUnit.SECONDS);
        settled(() -> read(store, "c/x"));
        String made = hints.poll(20, TimeUnit.SECONDS);
        put(fixture.open(), "c/after", "claim");
        String after = hints.poll(20, TimeUnit.SECONDS);

        assertThat(removed).isEqualTo("c/");
        assertThat(made).isEqualTo("c/");
        assertThat(after).isEqualTo("c/after");
    }

    @Test
    void a_link_that_points_elsewhere_now_is_followed() throws IOException {
        Path link = Files.createSymbolicLink(temp.resolve("link"), fixture.directory);
        try (Fixture linked = new Fixture(link)) {
            LocalStore byLink = linked.open();
            put(byLink, "c/billing", "held");
            Files.delete(link);
            Files.createSymbolicLink(link, Files.createDirectory(temp.resolve("other")));

            Versioned elsewhere = settled(() -> read(byLink, "c/billing"));

            assertThat(elsewhere.isPresent()).isFalse();
            assertThat(read(store, "c/billing").value()).isEqualTo("held");
        }
    }

    @Test
    void one_that_cannot_be_made_is_told_and_used_as_soon_as_it_can() throws IOException {
        remove(temp.resolve("parent"));

        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> String.valueOf(
                                catchThrowable(() -> read(store, "c/x")).getMessage())
                        .contains("does not exist"));
        Files.createDirectory(temp.resolve("parent"));

        assertThat(put(store, "c/x", "claim").value()).isEqualTo("claim");
    }

    @Test
    void one_of_somebody_else_in_its_place_is_left_alone() throws IOException {
        Files.move(fixture.directory, temp.resolve("aside"));
        Files.createDirectory(fixture.directory);
        Files.writeString(fixture.directory.resolve("thesis.txt"), "years of work");

        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> kindOf(() -> write(store, Versioned.absent("c/x", 0), "claim")) == Kind.CORRUPT);

        assertThat(names(fixture.directory)).containsExactly("thesis.txt");
    }
}
