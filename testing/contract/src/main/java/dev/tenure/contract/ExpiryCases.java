// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static dev.tenure.contract.StoreClient.applied;
import static dev.tenure.contract.StoreClient.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tenure.spi.BackendTraits.ExpiryDetection;
import dev.tenure.spi.Versioned;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Expiry, as the store's trait says who judges it. The law is the same for all: a record is never judged expired before its
 * time to live has passed since its last write was sent. Too late is slow, too early is two leaders.
 */
interface ExpiryCases extends StoreCases {
    /** What two honest clocks on one machine may differ by. */
    double RATE_ERROR = 0.01;

    Duration GRAIN = Duration.ofMillis(50);

    @Test
    default void the_life_of_a_record_runs_out_and_is_never_judged_too_short() {
        StoreClient client = judgedBy(ExpiryDetection.SERVER_TIME);
        Duration ttl = namespace().ttl(client);
        long sentNanos = System.nanoTime();
        client.create("s/a", "", ttl);
        long writtenNanos = System.nanoTime();

        client.await().until("the record has expired", () -> {
            long askedNanos = System.nanoTime();
            Versioned seen = client.read("s/a");
            Duration life = lifeOf(seen);
            assertThat(life).as("what is left").isBetween(Duration.ZERO, TestScale.roundedUp(ttl, client.traits()));
            assertNotTooShort(life, ttl, Duration.ofNanos(System.nanoTime() - sentNanos));
            assertNotTooLong(client, life, ttl, Duration.ofNanos(askedNanos - writtenNanos));
            return seen.hasExpired();
        });
    }

    @Test
    default void a_rewrite_starts_the_life_anew() {
        StoreClient client = judgedBy(ExpiryDetection.SERVER_TIME);
        StoreClient other = namespace().open();
        Duration ttl = namespace().ttl(client);
        Versioned first = client.create("s/a", "", ttl);
        client.await().until("a part of its life is over", () -> lifeIsBelow(client.read("s/a"), ttl, 0.7));

        long sentNanos = System.nanoTime();
        applied(client.write(first, "", ttl));

        Duration life = lifeOf(other.read("s/a"));
        assertNotTooShort(life, ttl, Duration.ofNanos(System.nanoTime() - sentNanos));
    }

    @Test
    default void a_refused_write_does_not_prolong_a_life() {
        StoreClient client = judgedBy(ExpiryDetection.SERVER_TIME);
        Duration ttl = namespace().ttl(client);
        client.create("s/a", "", ttl);
        client.await().until("a part of its life is over", () -> lifeIsBelow(client.read("s/a"), ttl, 0.7));

        refused(client.write(StoreClient.absent("s/a"), "", ttl));

        // Prolonged, it would be whole. Servers that were written one after the other differ a little.
        assertThat(lifeIsBelow(client.read("s/a"), ttl, 0.9)).isTrue();
    }

    @Test
    default void an_expired_record_still_stands_and_can_be_written_on_its_version() {
        StoreClient client = judgedBy(ExpiryDetection.SERVER_TIME);
        Duration ttl = namespace().ttl(client);
        Versioned first = client.create("s/a", "open", ttl);
        client.await().until("the record has expired", () -> client.read("s/a").hasExpired());

        Versioned expired = client.read("s/a");
        Versioned listed = client.list("s/").get(0);
        Versioned evicted = applied(client.write(expired, "evicted", ttl));

        assertThat(expired.version()).isEqualTo(first.version());
        assertThat(expired.value()).isEqualTo("open");
        assertThat(listed.hasExpired()).as("a list judges as a read does").isTrue();
        assertThat(evicted.hasExpired()).isFalse();
        refused(client.write(first, "late", ttl));
    }

    @Test
    default void a_record_vanishes_when_its_time_is_over_and_not_before() {
        StoreClient client = judgedBy(ExpiryDetection.SERVER_TTL);
        Duration ttl = namespace().ttl(client);
        long sentNanos = System.nanoTime();
        client.create("s/a", "", ttl);

        client.await().until("the record has vanished", () -> {
            boolean vanished = !client.read("s/a").isPresent();
            if (vanished) {
                assertNotTooShort(Duration.ZERO, ttl, Duration.ofNanos(System.nanoTime() - sentNanos));
            }
            return vanished;
        });
        assertThat(client.list("s/")).isEmpty();
    }

    @Test
    default void a_rewritten_record_vanishes_later() {
        StoreClient client = judgedBy(ExpiryDetection.SERVER_TTL);
        Duration ttl = namespace().ttl(client);
        Versioned first = client.create("s/a", "", ttl);
        client.await().untilPassed(TestScale.of(ttl, 0.5));

        long sentNanos = System.nanoTime();
        applied(client.write(first, "", ttl));

        client.await()
                .until("the record has vanished", () -> !client.read("s/a").isPresent());
        assertNotTooShort(Duration.ZERO, ttl, Duration.ofNanos(System.nanoTime() - sentNanos));
    }

    @Test
    default void a_version_never_returns_after_a_record_has_vanished() {
        StoreClient client = judgedBy(ExpiryDetection.SERVER_TTL);
        Duration ttl = namespace().ttl(client);
        Versioned first = client.create("s/a", "same", ttl);
        client.await()
                .until("the record has vanished", () -> !client.read("s/a").isPresent());

        Versioned second = client.create("s/a", "same", ttl);

        assertThat(second.version()).isNotEqualTo(first.version());
        refused(client.write(first, "late", ttl));
    }

    @Test
    default void a_store_that_does_not_judge_says_nothing_of_life_and_keeps_the_record() {
        StoreClient client = judgedBy(ExpiryDetection.OBSERVER);
        Duration ttl = namespace().ttl(client);
        Versioned first = client.create("s/a", "", ttl);
        assertThat(first.life()).isEmpty();

        client.await().untilPassed(TestScale.of(ttl, 1.2));

        Versioned later = client.read("s/a");
        assertThat(later.version()).as("unchanged, for observers to time it").isEqualTo(first.version());
        assertThat(later.life()).isEmpty();
        assertThat(client.list("s/").get(0).life()).isEmpty();
    }

    @Test
    default void a_record_without_a_time_to_live_never_expires() {
        StoreClient client = namespace().open();
        Duration ttl = namespace().ttl(client);
        Versioned claim = client.create("c/a", "kept");
        applied(client.write(client.create("s/a", "", ttl), "without"));

        client.await().untilPassed(TestScale.of(ttl, 1.2));

        assertThat(client.read("c/a").version()).isEqualTo(claim.version());
        assertThat(client.read("c/a").life()).isEmpty();
        assertThat(client.read("s/a").isPresent())
                .as("a rewrite without one takes it away")
                .isTrue();
        assertThat(client.read("s/a").life()).isEmpty();
    }

    private StoreClient judgedBy(ExpiryDetection judge) {
        StoreClient client = namespace().open();
        ExpiryDetection declared = client.traits().expiry();
        assumeTrue(declared == judge, "this store declares that expiry is judged by " + declared + ", not " + judge);
        return client;
    }

    private static boolean lifeIsBelow(Versioned seen, Duration ttl, double share) {
        return lifeOf(seen).compareTo(TestScale.of(ttl, share)) < 0;
    }

    private static Duration lifeOf(Versioned seen) {
        assertThat(seen.life())
                .as("what is left of a record with a time to live, on a store that judges it by its own time")
                .isPresent();
        return seen.life().orElseThrow();
    }

    private static void assertNotTooShort(Duration life, Duration ttl, Duration sinceSent) {
        assertThat(life.plus(sinceSent))
                .as("what is left, and what has passed since the write was sent")
                .isGreaterThanOrEqualTo(TestScale.of(ttl, 1 - RATE_ERROR));
    }

    private static void assertNotTooLong(StoreClient client, Duration life, Duration ttl, Duration sinceWritten) {
        Duration granted = TestScale.roundedUp(ttl, client.traits());
        Duration most = granted.minus(TestScale.of(sinceWritten, 1 - RATE_ERROR))
                .plus(GRAIN)
                .plus(client.traits().ttlStep());
        // Nothing is left of it, and nothing less than that can be told, however late somebody looks.
        assertThat(life)
                .as("what is left after " + sinceWritten)
                .isLessThanOrEqualTo(most.isNegative() ? Duration.ZERO : most);
    }
}
