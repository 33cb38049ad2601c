// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static dev.tenure.contract.RecordCases.assertSameRecord;
import static dev.tenure.contract.RecordCases.otherwise;
import static dev.tenure.contract.StoreClient.absent;
import static dev.tenure.contract.StoreClient.applied;
import static dev.tenure.contract.StoreClient.plain;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.Versioned;
import dev.tenure.spi.WriteReply;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Many clients and threads at once: of all writes that expect one version, exactly one is applied. */
interface RaceCases extends StoreCases {
    int CLIENTS = 4;
    int THREADS = 8;
    int ROUNDS = 15;
    int INCREMENTS = 15;
    int AT_ONCE = 40;

    @Test
    default void of_many_that_create_a_record_exactly_one_does() {
        List<StoreClient> clients = namespace().open(CLIENTS);

        for (int round = 0; round < ROUNDS; round++) {
            String key = "c/round-" + round;
            List<WriteReply> replies = together(clients, (client, thread) -> client.write(absent(key), "by " + thread));

            assertOneWinner(replies, clients.get(0).read(key));
        }
    }

    @Test
    default void of_many_that_update_one_version_exactly_one_does() {
        List<StoreClient> clients = namespace().open(CLIENTS);
        clients.get(0).create("s/a", "begin");

        for (int round = 0; round < ROUNDS; round++) {
            Versioned before = clients.get(0).read("s/a");
            List<WriteReply> replies = together(clients, (client, thread) -> client.write(before, "by " + thread));

            assertOneWinner(replies, clients.get(0).read("s/a"));
        }
    }

    @Test
    default void of_many_that_update_or_delete_one_version_exactly_one_does() {
        List<StoreClient> clients = namespace().open(CLIENTS);

        for (int round = 0; round < ROUNDS; round++) {
            Versioned before = clients.get(0).put("s/a", "begin");
            List<WriteReply> replies = together(
                    clients,
                    (client, thread) -> thread % 2 == 0 ? client.delete(before) : client.write(before, "by " + thread));

            assertOneWinner(replies, clients.get(0).read("s/a"));
        }
    }

    @Test
    default void many_updates_at_once_compare_their_versions_and_nothing_else() {
        StoreClient client = namespace().open();
        List<Versioned> standing = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            standing.add(client.create("c/" + i, "as it stands"));
        }

        List<CompletionStage<WriteReply>> writes = standing.stream()
                .map(one -> client.store().compareAndSet(plain(otherwise(one, "not what stands there"), "two")))
                .toList();

        writes.forEach(write -> {
            Versioned written = applied(client.await().reply(write));
            assertSameRecord(client.read(written.key()), written);
        });
    }

    @Test
    default void no_update_is_lost() {
        List<StoreClient> clients = namespace().open(CLIENTS);
        clients.get(0).create("c/counter", "0");

        List<List<String>> versions = together(clients, (client, thread) -> {
            List<String> mine = new ArrayList<>();
            for (int i = 0; i < INCREMENTS; i++) {
                mine.add(increment(client));
            }
            return mine;
        });

        Set<String> distinct = new HashSet<>();
        versions.forEach(distinct::addAll);
        assertThat(distinct).as("the versions of all applied writes").hasSize(THREADS * INCREMENTS);
        assertThat(clients.get(0).read("c/counter").value()).isEqualTo(Integer.toString(THREADS * INCREMENTS));
    }

    /** Tries until it was applied, beginning again from what each refusal shows. */
    private static String increment(StoreClient client) {
        Versioned seen = client.read("c/counter");
        while (true) {
            String next = Integer.toString(Integer.parseInt(seen.value()) + 1);
            WriteReply reply = client.write(seen, next);
            if (reply instanceof WriteReply.Applied applied) {
                return applied.now().version().orElseThrow();
            }
            Versioned current = StoreClient.refused(reply);
            assertThat(current.version())
                    .as("a refusal shows another record than the one that was expected")
                    .isNotEqualTo(seen.version());
            seen = current;
        }
    }

    @FunctionalInterface
    interface Racer<T> {
        T run(StoreClient client, int thread);
    }

    private static <T> List<T> together(List<StoreClient> clients, Racer<T> racer) {
        return ConcurrentThreads.together(
                THREADS, clients.get(0).await(), thread -> racer.run(clients.get(thread % CLIENTS), thread));
    }

    private static void assertOneWinner(List<WriteReply> replies, Versioned standing) {
        List<Versioned> applied = replies.stream()
                .filter(WriteReply.Applied.class::isInstance)
                .map(StoreClient::applied)
                .toList();
        assertThat(applied).as("applied writes").hasSize(1);
        assertThat(standing.version()).isEqualTo(applied.get(0).version());
        assertThat(standing.value()).isEqualTo(applied.get(0).value());
    }
}
