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

import dev.tenure.spi.BackendException;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompareAndSetTest {
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
    void what_was_never_written_is_absent() {
        Versioned nothing = read(store, "c/billing");

        assertThat(nothing.isPresent()).isFalse();
        assertThat(nothing.key()).isEqualTo("c/billing");
        assertThat(nothing.clockMillis()).isEqualTo(fixture.host.wallMillis);
    }

    @Test
    void a_record_is_created_once() {
        Versioned absent = read(store, "c/billing");

        Versioned created = applied(write(store, absent, "mine"));
        Versioned standing = refused(write(store, absent, "yours"));

        assertThat(standing.value()).isEqualTo("mine");
        assertThat(standing.version()).isEqualTo(created.version());
    }

    @Test
    void an_update_needs_the_version_it_was_read_with() {
        Versioned first = put(store, "c/billing", "one");
        Versioned second = applied(write(store, first, "two"));

        Versioned standing = refused(write(store, first, "late"));

        assertThat(standing.value()).isEqualTo("two");
        assertThat(standing.version()).isEqualTo(second.version());
        assertThat(read(store, "c/billing").value()).isEqualTo("two");
    }

    @Test
    void a_deletion_needs_the_version_too() {
        Versioned first = put(store, "o/billing", "one");
        Versioned second = applied(write(store, first, "two"));

        assertThat(refused(await(store.delete(first))).value()).isEqualTo("two");
        assertThat(applied(await(store.delete(second))).isPresent()).isFalse();
        assertThat(read(store, "o/billing").isPresent()).isFalse();
        assertThat(refused(await(store.delete(second))).isPresent()).isFalse();
    }

    @Test
    void deleting_what_is_absent_is_applied_only_if_it_is_absent() {
        Versioned absent = read(store, "o/billing");

        assertThat(applied(await(store.delete(absent))).isPresent()).isFalse();
        put(store, "o/billing", "here");
        assertThat(refused(await(store.delete(absent))).value()).isEqualTo("here");
    }

    @Test
    void a_version_never_comes_back_after_a_deletion() {
        Set<Optional<String>> seen = new HashSet<>();
        Versioned stale = read(store, "o/billing");

        for (int i = 0; i < 20; i++) {
            Versioned created = put(store, "o/billing", "same value");
            assertThat(seen.add(created.version())).isTrue();
            if (i > 0) {
                assertThat(refused(write(store, stale, "zombie")).version()).isEqualTo(created.version());
                assertThat(refused(await(store.delete(stale))).version()).isEqualTo(created.version());
            }
            applied(await(store.delete(created)));
            assertThat(refused(write(store, created, "zombie")).isPresent()).isFalse();
            stale = created;
        }
    }

    @Test
    void a_version_never_comes_back_after_a_deletion_by_hand() throws IOException {
        Versioned first = put(store, "c/billing", "one");
        Path record = fixture.layout().record(RecordKey.of("c/billing"));
        Files.delete(record.resolve(names(record).get(0)));
        Files.delete(record);

        Versioned again = put(store, "c/billing", "one");

        assertThat(again.version()).isNotEqualTo(first.version());
        assertThat(refused(write(store, first, "zombie")).version()).isEqualTo(again.version());
    }

    @Test
    void an_empty_record_directory_is_no_record() throws IOException {
        Files.createDirectory(fixture.layout().record(RecordKey.of("c/billing")));

        assertThat(read(store, "c/billing").isPresent()).isFalse();

        Files.createDirectory(fixture.layout().record(RecordKey.of("c/billing")));
        assertThat(put(store, "c/billing", "one").value()).isEqualTo("one");
    }

    @Test
    void any_text_comes_back_as_it_was() {
        for (String value : List.of("", "\n", "\n\nsum 00000000\n", "a b\tc", "größer 🦉", "x".repeat(100_000))) {
            put(store, "c/billing", value);

            assertThat(read(store, "c/billing").value()).isEqualTo(value);
        }
    }

    @Test
    void keys_that_differ_only_in_case_or_are_long_are_different_records() {
        String longest = "c/" + "x".repeat(698);
        put(store, "s/abc", "small");
        put(store, "s/ABC", "large");
        put(store, longest, "long");

        assertThat(read(store, "s/abc").value()).isEqualTo("small");
        assertThat(read(store, "s/ABC").value()).isEqualTo("large");
        assertThat(read(store, longest).value()).isEqualTo("long");
    }

    @Test
    void a_list_has_every_record_of_its_prefix() {
        put(store, "e", "era");
        for (int i = 0; i < 50; i++) {
            put(store, "c/election-" + i, "claim " + i);
            put(store, "s/session-" + i, "session " + i);
        }
        applied(await(store.delete(read(store, "s/session-7"))));

        assertThat(await(store.list("c/")))
                .hasSize(50)
                .allSatisfy(record -> assertThat(record.key())
                        .isEqualTo("c/election-" + record.value().substring("claim ".length())));
        assertThat(await(store.list("s/"))).hasSize(49);
        assertThat(await(store.list("c/election-1"))).hasSize(11);
        assertThat(await(store.list("o/"))).isEmpty();
        assertThat(await(store.list("e"))).hasSize(1);
        assertThat(await(store.list(""))).hasSize(100);
    }

    @Test
    void another_process_sees_it_at_once() {
        LocalStore other = fixture.open();

        Versioned written = put(store, "c/billing", "mine");

        assertThat(read(other, "c/billing")).isEqualTo(written);
        assertThat(applied(write(other, written, "yours")).value()).isEqualTo("yours");
        assertThat(refused(write(store, written, "late")).value()).isEqualTo("yours");
    }

    @Test
    void nothing_is_left_behind_but_one_value_per_record() {
        Versioned absent = read(store, "c/billing");
        Versioned record = put(store, "c/billing", "0");
        for (int i = 1; i < 20; i++) {
            Versioned stale = record;
            record = applied(write(store, record, "" + i));
            refused(write(store, stale, "stale"));
            refused(write(store, absent, "stale"));
        }
        applied(await(store.delete(put(store, "o/billing", "gone"))));

        assertThat(names(fixture.layout().values()))
                .containsExactly(fixture.valueOf("c/billing").getFileName().toString());
        assertThat(names(fixture.layout().records("o"))).isEmpty();
    }

    @Test
    void nonsense_is_refused_at_once() {
        Versioned absent = read(store, "c/billing");
        Versioned forged = new Versioned("c/billing", Optional.of("../../x"), "", Optional.empty(), 0);

        for (String key : List.of(
                "", "X/y", "xy", "xy/z", "c/", "c/a/b", "c/../x", "c/a b", "c/ä", "e/", "c/" + "x".repeat(699))) {
            assertThatThrownBy(() -> store.read(key)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> write(store, forged, "x")).isInstanceOf(IllegalArgumentException.class);
        for (Duration ttl : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofHours(25))) {
            Write write = new Write(absent, "x", Optional.of(ttl), 0);
            assertThatThrownBy(() -> store.compareAndSet(write)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void after_close_nothing_is_written() {
        Versioned absent = read(store, "c/billing");
        store.close();
        store.close();

        assertThatThrownBy(() -> write(store, absent, "late"))
                .isInstanceOfSatisfying(BackendException.class, closed -> {
                    assertThat(closed.effect()).isEqualTo(BackendException.Effect.NONE);
                });
        assertThat(read(fixture.open(), "c/billing").isPresent()).isFalse();
    }
}
