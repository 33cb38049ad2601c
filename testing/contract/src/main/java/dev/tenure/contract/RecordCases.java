// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static dev.tenure.contract.StoreClient.absent;
import static dev.tenure.contract.StoreClient.applied;
import static dev.tenure.contract.StoreClient.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.spi.Versioned;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** One record after another: what a read shows, and which writes are applied. */
interface RecordCases extends StoreCases {
    int ROUNDS = 20;
    int KEY_CHARS_MAX = 700;
    /** A claim record whose metadata is full, with every byte of it escaped. */
    int VALUE_CHARS_MAX = 26_000;

    @Test
    default void a_key_that_was_never_written_has_no_record() {
        StoreClient client = namespace().open();

        Versioned found = client.read("c/never");

        assertThat(found.isPresent()).isFalse();
        assertThat(found.key()).isEqualTo("c/never");
        assertThat(found.value()).isEmpty();
        assertThat(found.life()).isEmpty();
    }

    @Test
    default void a_record_is_created_where_there_is_none() {
        StoreClient client = namespace().open();

        Versioned created = applied(client.write(absent("c/a"), "one"));

        assertThat(created.key()).isEqualTo("c/a");
        assertThat(created.value()).isEqualTo("one");
        assertThat(created.version()).isPresent();
        assertSameRecord(client.read("c/a"), created);
    }

    @Test
    default void a_creation_where_there_is_a_record_is_refused_and_shows_it() {
        StoreClient client = namespace().open();
        Versioned first = client.create("c/a", "one");

        Versioned current = refused(client.write(absent("c/a"), "two"));

        assertSameRecord(current, first);
        assertSameRecord(client.read("c/a"), first);
    }

    @Test
    default void an_update_of_the_version_that_stands_there_is_applied() {
        StoreClient client = namespace().open();
        Versioned first = client.create("c/a", "one");

        Versioned second = applied(client.write(first, "two"));

        assertThat(second.value()).isEqualTo("two");
        assertThat(second.version()).as("the version of the update").isNotEqualTo(first.version());
        assertSameRecord(client.read("c/a"), second);
    }

    @Test
    default void an_update_of_an_older_version_is_refused_and_changes_nothing() {
        StoreClient client = namespace().open();
        Versioned first = client.create("c/a", "one");
        Versioned second = applied(client.write(first, "two"));

        Versioned current = refused(client.write(first, "late"));

        assertSameRecord(current, second);
        assertSameRecord(client.read("c/a"), second);
    }

    @Test
    default void an_update_of_a_record_that_was_deleted_is_refused_and_creates_nothing() {
        StoreClient client = namespace().open();
        Versioned first = client.create("s/a", "one");
        applied(client.delete(first));

        Versioned current = refused(client.write(first, "late"));

        assertThat(current.isPresent()).isFalse();
        assertThat(client.read("s/a").isPresent()).isFalse();
    }

    @Test
    default void a_write_about_one_record_compares_its_version_and_nothing_else() {
        StoreClient client = namespace().open();
        Versioned first = client.create("c/a", "one");

        Versioned second = applied(client.write(otherwise(first, "not what stands there"), "two"));

        assertSameRecord(client.read("c/a"), second);
    }

    @Test
    default void every_write_has_another_version_even_if_it_writes_the_same() {
        StoreClient client = namespace().open();
        Set<String> versions = new HashSet<>();
        Versioned now = client.create("s/a", "same");
        versions.add(now.version().orElseThrow());

        for (int i = 0; i < ROUNDS; i++) {
            now = applied(client.write(now, "same"));
            versions.add(now.version().orElseThrow());
        }

        assertThat(versions).as("different versions").hasSize(ROUNDS + 1);
    }

    @Test
    default void a_version_never_returns_after_deletion_and_creation() {
        StoreClient client = namespace().open();
        StoreClient other = namespace().open();
        Set<String> versions = new HashSet<>();

        for (int i = 0; i < ROUNDS; i++) {
            StoreClient writer = i % 2 == 0 ? client : other;
            Versioned created = writer.create("s/a", "same");
            versions.add(created.version().orElseThrow());
            applied(writer.delete(created));
        }

        assertThat(versions).as("different versions").hasSize(ROUNDS);
    }

    @Test
    default void a_write_that_expects_a_deleted_record_does_not_match_its_successor() {
        StoreClient client = namespace().open();
        Versioned first = client.create("s/a", "same");
        applied(client.delete(first));
        Versioned second = client.create("s/a", "same");

        Versioned shownToWrite = refused(client.write(first, "late"));
        Versioned shownToDeletion = refused(client.delete(first));

        assertSameRecord(shownToWrite, second);
        assertSameRecord(shownToDeletion, second);
        assertSameRecord(client.read("s/a"), second);
    }

    @Test
    default void a_deletion_of_the_version_that_stands_there_is_applied() {
        StoreClient client = namespace().open();
        Versioned first = client.create("s/a", "one");

        Versioned left = applied(client.delete(first));

        assertThat(left.isPresent()).isFalse();
        assertThat(left.key()).isEqualTo("s/a");
        assertThat(client.read("s/a").isPresent()).isFalse();
    }

    @Test
    default void a_deletion_of_an_older_version_is_refused_and_changes_nothing() {
        StoreClient client = namespace().open();
        Versioned first = client.create("s/a", "one");
        Versioned second = applied(client.write(first, "two"));

        Versioned current = refused(client.delete(first));

        assertSameRecord(current, second);
        assertSameRecord(client.read("s/a"), second);
    }

    @Test
    default void a_second_deletion_is_refused_and_shows_that_there_is_nothing() {
        StoreClient client = namespace().open();
        Versioned first = client.create("s/a", "one");
        applied(client.delete(first));

        Versioned current = refused(client.delete(first));

        assertThat(current.isPresent()).isFalse();
    }

    @Test
    default void a_value_comes_back_as_it_was_written() {
        StoreClient client = namespace().open();
        StoreClient other = namespace().open();
        Map<String, String> values = new LinkedHashMap<>();
        values.put("empty", "");
        values.put("spaces", "  in front and behind  ");
        values.put("lines", "one\ntwo\r\nthree\n\n");
        values.put("quotes", "it's \"quoted\" \\ $1 %s {} <>&; --");
        values.put("unicode", "Größe 東京 עברית \u202e \ud83d\ude80 e\u0301");
        values.put("full", "%c3%a9\n".repeat(VALUE_CHARS_MAX / 7));

        values.forEach((name, value) -> client.create("c/" + name, value));

        values.forEach((name, value) ->
                assertThat(other.read("c/" + name).value()).as(name).isEqualTo(value));
    }

    @Test
    default void keys_that_look_alike_are_different_records() {
        StoreClient client = namespace().open();
        List<String> keys = new ArrayList<>(List.of("e", "s/a", "c/a", "o/a", "c/a.", "c/a.b", "c/%2e", "c/%2e%2e"));
        keys.addAll(
                List.of("c/a%2fb", "c/a%252fb", "c/a_b", "c/a-b", "c/a%5fb", "c/aa", "c/con", "c/%25", "c/_", "c/-"));
        keys.add("c/" + ElectionName.of("\u00e9".repeat(100)).encoded());
        keys.add("c/" + "x".repeat(KEY_CHARS_MAX - 2));
        keys.add("c/" + "x".repeat(KEY_CHARS_MAX - 3) + "y");

        keys.forEach(key -> client.create(key, "value of " + key));

        for (String key : keys) {
            Versioned found = client.read(key);
            assertThat(found.key()).isEqualTo(key);
            assertThat(found.value()).isEqualTo("value of " + key);
        }
    }

    @Test
    default void a_kind_of_record_that_no_version_knows_is_kept_like_any_other() {
        StoreClient client = namespace().open();
        StoreClient other = namespace().open();
        Versioned first = client.create("z/a", "of election a");
        Versioned ofStore = client.create("z", "of the store");

        Versioned second = applied(other.write(first, "changed"));

        assertSameRecord(client.read("z/a"), second);
        assertSameRecord(other.read("z"), ofStore);
        assertThat(other.list("z/")).extracting(Versioned::key).containsExactly("z/a");
        assertSameRecord(refused(client.write(first, "late")), second);
        applied(client.delete(second));
        assertThat(other.read("z/a").isPresent()).isFalse();
    }

    @Test
    default void a_write_is_seen_by_the_very_next_read_of_another_client() {
        StoreClient one = namespace().open();
        StoreClient two = namespace().open();
        Versioned now = one.create("c/a", "0");

        for (int i = 1; i <= 5 * ROUNDS; i++) {
            StoreClient writer = i % 2 == 0 ? one : two;
            StoreClient reader = i % 2 == 0 ? two : one;
            now = applied(writer.write(now, Integer.toString(i)));
            assertSameRecord(reader.read("c/a"), now);
        }
    }

    @Test
    default void a_deletion_is_seen_by_the_very_next_read_of_another_client() {
        StoreClient one = namespace().open();
        StoreClient two = namespace().open();

        for (int i = 0; i < ROUNDS; i++) {
            Versioned created = one.create("s/a", "here");
            assertSameRecord(two.read("s/a"), created);
            applied(two.delete(created));
            assertThat(one.read("s/a").isPresent()).isFalse();
        }
    }

    @Test
    default void namespaces_share_nothing() {
        StoreClient here = namespace().open();
        here.create("e", "mine");
        here.create("c/a", "mine");

        StoreClient elsewhere = namespace().elsewhere();

        assertThat(elsewhere.read("e").isPresent()).isFalse();
        assertThat(elsewhere.read("c/a").isPresent()).isFalse();
        assertThat(elsewhere.list("c/")).isEmpty();
    }

    /** The same record, with its true version, as somebody has it who knows another value. */
    static Versioned otherwise(Versioned record, String value) {
        return new Versioned(record.key(), record.version(), value, record.life(), record.clockMillis());
    }

    static void assertSameRecord(Versioned found, Versioned expected) {
        assertThat(found.key()).as("its key").isEqualTo(expected.key());
        assertThat(found.version()).as("its version").isEqualTo(expected.version());
        assertThat(found.value()).as("its value").isEqualTo(expected.value());
    }
}
