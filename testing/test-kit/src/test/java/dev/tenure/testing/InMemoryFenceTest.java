// SPDX-License-Identifier: Apache-2.0
package dev.tenure.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class InMemoryFenceTest {
    private final InMemoryFence fence = new InMemoryFence("ledger");
    private final List<String> written = new ArrayList<>();

    @Test
    void a_write_with_the_newest_token_is_accepted_again_and_again() throws Exception {
        fence.raise(term(5, 1));
        fence.write(term(5, 1), () -> written.add("one"));
        fence.write(term(5, 1), () -> written.add("two"));

        assertThat(written).containsExactly("one", "two");
        assertThat(fence.accepted()).containsExactly(term(5, 1), term(5, 1));
        assertThat(fence.refused()).isEmpty();
    }

    @Test
    void once_raised_an_older_token_is_refused_before_its_work_starts() throws Exception {
        fence.write(term(5, 1), () -> written.add("early"));
        fence.raise(term(6, 2));

        StaleTokenException stale = catchThrowableOfType(
                StaleTokenException.class, () -> fence.write(term(5, 1), () -> written.add("late")));

        assertThat(stale.seen()).isEqualTo(new FencingToken(6));
        assertThat(stale.isCollision()).isFalse();
        assertThat(written).containsExactly("early");
        assertThat(fence.refused()).containsExactly(term(5, 1));
        assertThat(fence.newest()).contains(term(6, 2));
    }

    @Test
    void an_older_term_cannot_raise() throws Exception {
        fence.raise(term(6, 2));

        assertThatThrownBy(() -> fence.raise(term(5, 1))).isInstanceOf(StaleTokenException.class);
        assertThat(fence.newest()).contains(term(6, 2));
    }

    @Test
    void an_equal_token_with_another_nonce_is_a_collision_and_refused() throws Exception {
        fence.raise(term(5, 1));

        StaleTokenException stale = catchThrowableOfType(
                StaleTokenException.class, () -> fence.write(term(5, 2), () -> written.add("impostor")));

        assertThat(stale.isCollision()).isTrue();
        assertThat(written).isEmpty();
    }

    @Test
    void a_write_with_a_newer_token_raises_the_fence() throws Exception {
        fence.raise(term(5, 1));
        fence.write(term(7, 3), () -> written.add("newer"));

        assertThat(fence.newest()).contains(term(7, 3));
    }

    @Test
    void a_fence_belongs_to_the_election_it_saw_first() throws Exception {
        fence.raise(term(5, 1));
        Term foreign = new Term(ElectionName.of("other"), new FencingToken(99), new Nonce(0, 9), "b");

        assertThatThrownBy(() -> fence.raise(foreign))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("election sweeper")
                .hasMessageContaining("election other");
        assertThat(fence.newest()).contains(term(5, 1));
    }

    @Test
    void work_that_throws_is_not_counted() {
        assertThatThrownBy(() -> fence.write(term(5, 1), () -> {
                    throw new IllegalStateException("disk full");
                }))
                .hasMessage("disk full");

        assertThat(fence.accepted()).isEmpty();
        assertThat(fence.refused()).isEmpty();
    }

    @Test
    void under_many_threads_accepted_tokens_never_go_back() {
        AtomicLong inside = new AtomicLong();
        List<Long> order = new ArrayList<>();
        CompletableFuture<?>[] writers = LongStream.rangeClosed(1, 4)
                .mapToObj(n -> CompletableFuture.runAsync(() -> {
                    for (long token = n; token <= 4000; token += 4) {
                        tryToWrite(token, inside, order);
                    }
                }))
                .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(writers).join();

        assertThat(order).isNotEmpty().isSorted();
        assertThat(fence.accepted().size() + fence.refused().size()).isEqualTo(4000);
    }

    private void tryToWrite(long token, AtomicLong inside, List<Long> order) {
        try {
            fence.write(term(token, token), () -> {
                assertThat(inside.incrementAndGet()).isEqualTo(1);
                order.add(token);
                inside.decrementAndGet();
            });
        } catch (StaleTokenException expected) {
            // A newer one was first.
        }
    }

    private static Term term(long token, long nonce) {
        return new Term(ElectionName.of("sweeper"), new FencingToken(token), new Nonce(0, nonce), "a");
    }
}
