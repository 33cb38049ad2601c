// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import static dev.tenure.local.Fixture.names;
import static dev.tenure.local.Fixture.put;
import static dev.tenure.local.Fixture.read;
import static dev.tenure.local.Fixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.local.RecordFile.Version;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Versioned;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DamageTest {
    private Fixture fixture;
    private LocalStore store;
    private Versioned claim;
    private Path value;

    @BeforeEach
    void open(@TempDir Path directory) {
        fixture = new Fixture(directory);
        store = fixture.open();
        claim = put(store, "c/billing", "claim");
        value = fixture.valueOf("c/billing");
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void a_truncated_record_is_named() throws IOException {
        Files.write(value, Arrays.copyOf(Files.readAllBytes(value), 90));

        assertCorrupt(() -> read(store, "c/billing"), value);
        assertThat(value).exists();
    }

    @Test
    void an_empty_record_is_named() throws IOException {
        Files.write(value, new byte[0]);

        assertCorrupt(() -> read(store, "c/billing"), value);
    }

    @Test
    void a_changed_record_is_named() throws IOException {
        Files.writeString(value, Files.readString(value).replace("claim", "clown"));

        assertCorrupt(() -> read(store, "c/billing"), value);
    }

    @Test
    void a_huge_file_is_not_read() throws IOException {
        Files.write(value, new byte[RecordFile.BYTES_MAX + 1]);

        assertCorrupt(() -> read(store, "c/billing"), value);
    }

    @Test
    void a_lost_value_is_named() throws IOException {
        Files.delete(value);

        assertCorrupt(() -> read(store, "c/billing"), value);
    }

    @Test
    void the_record_of_another_election_is_not_taken_for_this_one() throws IOException {
        put(store, "c/other", "theirs");
        Path theirs = fixture.valueOf("c/other");
        Files.copy(
                theirs,
                fixture.layout()
                        .values()
                        .resolve(RecordKey.of("c/billing") + "."
                                + theirs.getFileName().toString().substring(35)));
        Path record = fixture.layout().record(RecordKey.of("c/billing"));
        Files.delete(record.resolve(names(record).get(0)));
        Files.createFile(record.resolve(
                names(fixture.layout().record(RecordKey.of("c/other"))).get(0)));

        assertCorrupt(() -> read(store, "c/billing"), fixture.valueOf("c/billing"));
    }

    @Test
    void an_older_copy_under_a_newer_name_is_refused() throws IOException {
        byte[] older = Files.readAllBytes(value);
        put(store, "c/billing", "newer");
        Files.write(fixture.valueOf("c/billing"), older);

        assertCorrupt(() -> read(store, "c/billing"), fixture.valueOf("c/billing"));
    }

    @Test
    void a_foreign_file_among_the_versions_is_named() throws IOException {
        Path foreign = fixture.layout().record(RecordKey.of("c/billing")).resolve("notes.txt");
        Files.writeString(foreign, "hello");

        assertCorrupt(() -> read(store, "c/billing"), foreign);
        assertThat(foreign).exists();
    }

    @Test
    void a_foreign_file_among_the_records_is_named() throws IOException {
        Path foreign = fixture.layout().records("c").resolve("notes.txt");
        Files.writeString(foreign, "hello");

        assertCorrupt(() -> Fixture.await(store.list("c/")), foreign);
        assertThat(read(store, "c/billing").value()).isEqualTo("claim");
    }

    @Test
    void a_file_in_the_place_of_a_record_is_named() throws IOException {
        Path record = fixture.layout().record(RecordKey.of("c/another"));
        Files.writeString(record, "hello");

        assertCorrupt(() -> read(store, "c/another"), record);
    }

    @Test
    void one_damaged_record_does_not_stop_the_others() throws IOException {
        Files.write(value, new byte[0]);

        assertThat(put(store, "c/other", "fine").value()).isEqualTo("fine");
    }

    @Test
    void a_refusal_that_meets_damage_had_no_effect() throws IOException {
        Versioned newer = put(store, "c/billing", "newer");
        Files.write(fixture.valueOf("c/billing"), new byte[0]);

        assertCorrupt(() -> write(store, claim, "late"), fixture.valueOf("c/billing"));
        assertThat(names(fixture.layout().record(RecordKey.of("c/billing"))))
                .containsExactly(Version.parse(newer.version().orElseThrow()).fileName());
    }

    private static void assertCorrupt(ThrowingCallable call, Path named) {
        assertThatThrownBy(call).isInstanceOfSatisfying(BackendException.class, failure -> {
            assertThat(failure.kind()).isEqualTo(Kind.CORRUPT);
            assertThat(failure.effect()).isEqualTo(Effect.NONE);
            assertThat(failure).hasMessageContaining(named.toString());
            assertThat(failure).hasMessageContaining("move it");
        });
    }
}
