// SPDX-License-Identifier: Apache-2.0
package dev.tenure.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.spi.BackendTraits.ExpiryDetection;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class InMemoryLeaseStoreTest {
    private final VirtualTime time = new VirtualTime();
    private final InMemoryLeaseStore store = InMemoryLeaseStore.on(time);

    @Test
    void a_call_is_answered_after_the_latency_and_takes_effect_half_way() {
        InMemoryLeaseStore slow = store.withLatency(Duration.ofMillis(10));
        CompletableFuture<WriteReply> reply =
                slow.compareAndSet(create("c/x", "hello")).toCompletableFuture();

        time.advance(Duration.ofNanos(4_999_999));
        assertThat(slow.records()).isEmpty();
        time.advance(Duration.ofNanos(1));
        assertThat(slow.records()).containsEntry("c/x", "hello");
        assertThat(reply).isNotDone();
        time.advance(Duration.ofMillis(5));

        assertThat(reply).isCompleted();
    }

    @Test
    void a_write_applies_only_on_the_version_it_expects() {
        Versioned first = applied(store.compareAndSet(create("c/x", "one")));
        Versioned second = applied(store.compareAndSet(write(first, "two")));

        WriteReply late = now(store.compareAndSet(write(first, "late")));
        WriteReply again = now(store.compareAndSet(create("c/x", "again")));

        assertThat(((WriteReply.Refused) late).current().version()).isEqualTo(second.version());
        assertThat(((WriteReply.Refused) late).current().value()).isEqualTo("two");
        assertThat(again).isInstanceOf(WriteReply.Refused.class);
        assertThat(now(store.read("c/x")).value()).isEqualTo("two");
        assertThat(store.writes()).isEqualTo(2);
    }

    @Test
    void versions_are_never_reused_not_even_after_a_deletion() {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            Versioned written = applied(store.compareAndSet(create("s/x", "same")));
            assertThat(seen.add(written.version().orElseThrow())).isTrue();
            Versioned gone = applied(store.delete(written));
            assertThat(gone.isPresent()).isFalse();
        }
        assertThat(now(store.read("s/x")).isPresent()).isFalse();
    }

    @Test
    void a_deletion_of_another_version_is_refused() {
        Versioned first = applied(store.compareAndSet(create("s/x", "one")));
        applied(store.compareAndSet(write(first, "two")));

        assertThat(now(store.delete(first))).isInstanceOf(WriteReply.Refused.class);
        assertThat(store.records()).containsEntry("s/x", "two");
    }

    @Test
    void a_list_has_exactly_the_keys_under_its_prefix() {
        for (String key : List.of("c/a", "c/b", "cc", "c", "s/a", "e")) {
            applied(store.compareAndSet(create(key, key)));
        }

        assertThat(now(store.list("c/"))).extracting(Versioned::key).containsExactlyInAnyOrder("c/a", "c/b");
    }

    @Test
    void a_watch_hints_at_every_change_under_its_prefix_until_it_is_closed() {
        List<String> hints = new ArrayList<>();
        Watch watch = store.watch("c/", hints::add);

        Versioned written = applied(store.compareAndSet(create("c/x", "one")));
        applied(store.compareAndSet(create("s/x", "one")));
        applied(store.delete(written));
        assertThat(hints).containsExactly("c/x", "c/x");

        store.compareAndSet(create("c/x", "two"));
        time.advance(Duration.ofNanos(500_000));
        watch.close();
        watch.close();
        time.advance(Duration.ofSeconds(1));
        assertThat(hints).hasSize(2);
    }

    @Test
    void server_time_judges_the_life_of_records_that_have_one() {
        InMemoryLeaseStore judging = store.judgedBy(ExpiryDetection.SERVER_TIME).withLatency(Duration.ZERO);
        Versioned session = applied(judging.compareAndSet(
                new Write(Versioned.absent("s/x", 0), "beat", Optional.of(Duration.ofSeconds(10)), 0)));
        applied(judging.compareAndSet(create("c/x", "claim")));
        assertThat(session.life()).contains(Duration.ofSeconds(10));

        time.advance(Duration.ofSeconds(9));
        assertThat(now(judging.read("s/x")).life()).contains(Duration.ofSeconds(1));
        time.advance(Duration.ofSeconds(5));

        assertThat(now(judging.read("s/x")).hasExpired()).isTrue();
        assertThat(now(judging.read("c/x")).life()).isEmpty();
        assertThat(judging.traits().expiry()).isEqualTo(ExpiryDetection.SERVER_TIME);
    }

    @Test
    void observers_are_told_nothing_of_life_and_everybody_the_clock() {
        Versioned session = applied(store.compareAndSet(
                new Write(Versioned.absent("s/x", 0), "beat", Optional.of(Duration.ofSeconds(10)), 0)));

        time.advance(Duration.ofMinutes(1));
        Versioned later = now(store.read("s/x"));

        assertThat(later.life()).isEmpty();
        assertThat(later.clockMillis() - session.clockMillis()).isEqualTo(60_001);
        assertThat(store.traits().expiry()).isEqualTo(ExpiryDetection.OBSERVER);
    }

    @Test
    void a_judge_that_it_cannot_be_is_refused() {
        assertThatThrownBy(() -> store.judgedBy(ExpiryDetection.SERVER_TTL))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static Write create(String key, String value) {
        return write(Versioned.absent(key, 0), value);
    }

    private static Write write(Versioned expected, String value) {
        return new Write(expected, value, Optional.empty(), 0);
    }

    private Versioned applied(CompletionStage<WriteReply> stage) {
        return ((WriteReply.Applied) now(stage)).now();
    }

    private <T> T now(CompletionStage<T> stage) {
        CompletableFuture<T> reply = stage.toCompletableFuture();
        while (!reply.isDone()) {
            assertThat(time.runNext()).isTrue();
        }
        return reply.join();
    }
}
