// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.Watch;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Notifications of changes. A hint may be lost, so each case changes the record until one has come. */
interface NotificationCases extends StoreCases {
    Duration HINT_WITHIN = Duration.ofMillis(300);

    @Test
    default void a_change_by_another_client_brings_a_hint() {
        StoreClient watcher = notified();
        StoreClient writer = namespace().open();
        Set<String> hinted = ConcurrentHashMap.newKeySet();

        try (Watch watch = watcher.watch("c/", hinted::add)) {
            changeUntilHinted(writer, "c/a", hinted);
        }
    }

    @Test
    default void a_change_by_the_same_client_brings_a_hint() {
        StoreClient client = notified();
        Set<String> hinted = ConcurrentHashMap.newKeySet();

        try (Watch watch = client.watch("c/", hinted::add)) {
            changeUntilHinted(client, "c/a", hinted);
        }
    }

    @Test
    default void a_hint_is_about_a_key_of_the_prefix() {
        StoreClient watcher = notified();
        StoreClient writer = namespace().open();
        Set<String> hinted = ConcurrentHashMap.newKeySet();

        try (Watch watch = watcher.watch("o/", hinted::add)) {
            writer.put("s/a", "other");
            writer.put("c/a", "other");
            writer.put("e", "other");
            changeUntilHinted(writer, "o/a", hinted);
        }

        assertThat(hinted).as("its keys, or all of them at once").isSubsetOf("o/a", "o/");
    }

    @Test
    default void no_hint_starts_after_a_watch_was_closed() {
        StoreClient watcher = notified();
        StoreClient writer = namespace().open();
        Set<String> closedHinted = ConcurrentHashMap.newKeySet();
        Set<String> openHinted = ConcurrentHashMap.newKeySet();
        Watch closed = watcher.watch("c/", closedHinted::add);
        try (Watch open = watcher.watch("c/", openHinted::add)) {
            changeUntilHinted(writer, "c/before", closedHinted);

            closed.close();
            closed.close();
            changeUntilHinted(writer, "c/after", openHinted);
        }

        assertThat(closedHinted).doesNotContain("c/after");
    }

    private void changeUntilHinted(StoreClient writer, String key, Set<String> hinted) {
        AtomicInteger changes = new AtomicInteger();
        writer.await().until("a hint for " + key, () -> {
            writer.put(key, "change " + changes.incrementAndGet());
            return writer.await().within(HINT_WITHIN, () -> hinted.contains(key));
        });
    }

    default StoreClient notified() {
        StoreClient client = namespace().open();
        Wakeup wakeup = client.traits().wakeup();
        assumeTrue(wakeup != Wakeup.POLL, "this store declares that it gives no hints: " + wakeup);
        return client;
    }
}
