// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static dev.tenure.contract.StoreClient.applied;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.Versioned;
import dev.tenure.spi.WriteReply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Records by prefix. */
interface ListingCases extends StoreCases {
    int MANY = 1000;
    int IN_FLIGHT_MAX = 64;

    @Test
    default void nothing_is_listed_where_nothing_was_written() {
        StoreClient client = namespace().open();

        assertThat(client.list("c/")).isEmpty();
        assertThat(client.list("s/")).isEmpty();
        assertThat(client.list("o/")).isEmpty();
    }

    @Test
    default void a_list_has_exactly_the_records_of_its_prefix() {
        StoreClient client = namespace().open();
        for (String key : List.of("e", "s/a", "s/b", "c/a", "c/ab", "c/b", "c/%2e", "o/a")) {
            client.create(key, "value of " + key);
        }

        assertThat(keys(client, "s/")).containsExactlyInAnyOrder("s/a", "s/b");
        assertThat(keys(client, "c/")).containsExactlyInAnyOrder("c/a", "c/ab", "c/b", "c/%2e");
        assertThat(keys(client, "o/")).containsExactly("o/a");
        assertThat(keys(client, "e")).containsExactly("e");
        assertThat(keys(client, "c/a")).containsExactlyInAnyOrder("c/a", "c/ab");
        assertThat(keys(client, "c/x")).isEmpty();
    }

    @Test
    default void a_prefix_is_text_and_not_a_pattern() {
        StoreClient client = namespace().open();
        client.create("c/a_b", "underscore");
        client.create("c/axb", "letter");
        client.create("c/%25", "percent");

        assertThat(keys(client, "c/a_")).containsExactly("c/a_b");
        assertThat(keys(client, "c/%")).containsExactly("c/%25");
    }

    @Test
    default void a_listed_record_is_the_one_that_a_read_shows() {
        StoreClient client = namespace().open();
        StoreClient other = namespace().open();
        Versioned first = client.create("c/a", "one");
        Versioned second = applied(client.write(first, "two"));

        Versioned listed = other.list("c/").get(0);

        assertThat(listed.key()).isEqualTo("c/a");
        assertThat(listed.version()).isEqualTo(second.version());
        assertThat(listed.value()).isEqualTo("two");
        applied(other.write(listed, "three"));
    }

    @Test
    default void a_deleted_record_is_not_listed() {
        StoreClient client = namespace().open();
        Versioned kept = client.create("s/kept", "");
        applied(client.delete(client.create("s/gone", "")));

        assertThat(keys(client, "s/")).containsExactly(kept.key());
    }

    @Test
    default void a_thousand_records_are_written_and_listed_whole() {
        StoreClient client = namespace().open();
        StoreClient other = namespace().open();
        List<CompletionStage<WriteReply>> replies = new ArrayList<>();
        List<String> expected = new ArrayList<>();

        for (int i = 0; i < MANY; i++) {
            String key = "c/election-" + i;
            expected.add(key);
            replies.add(client.store().compareAndSet(StoreClient.plain(StoreClient.absent(key), "value of " + key)));
            if (i >= IN_FLIGHT_MAX) {
                applied(client.await().reply(replies.get(i - IN_FLIGHT_MAX)));
            }
        }
        replies.forEach(reply -> applied(client.await().reply(reply)));

        List<Versioned> listed = other.list("c/");
        assertThat(listed).extracting(Versioned::key).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(listed).allSatisfy(record -> assertThat(record.value()).isEqualTo("value of " + record.key()));
    }

    private static List<String> keys(StoreClient client, String prefix) {
        return client.list(prefix).stream().map(Versioned::key).toList();
    }
}
