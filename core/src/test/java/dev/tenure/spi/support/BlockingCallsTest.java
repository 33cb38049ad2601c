// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class BlockingCallsTest {
    private final Deque<Runnable> threads = new ArrayDeque<>();
    private final List<String> ran = new ArrayList<>();
    private final BlockingCalls calls = new BlockingCalls(threads::add, 2);

    private CompletableFuture<String> call(String name) {
        return calls.call(() -> {
            ran.add(name);
            return name;
        });
    }

    private void runAll() {
        while (!threads.isEmpty()) {
            threads.remove().run();
        }
    }

    private static void assertFailed(CompletableFuture<?> reply, Effect effect, String words) {
        assertThatThrownBy(reply::join)
                .cause()
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.effect()).isEqualTo(effect))
                .hasMessageContaining(words);
    }

    @Test
    void calls_run_in_their_order_on_as_many_threads_as_were_allowed() {
        CompletableFuture<String> last = call("a").thenCombine(call("b"), String::concat);
        call("c");

        assertThat(threads).hasSize(2);
        assertThat(ran).isEmpty();
        runAll();

        assertThat(ran).containsExactly("a", "b", "c");
        assertThat(last).isCompletedWithValue("ab");

        call("d");
        runAll();
        assertThat(ran).endsWith("d");
    }

    @Test
    void what_a_call_throws_goes_to_its_caller_and_to_nobody_else() {
        CompletableFuture<String> checked = calls.call(() -> {
            throw new IOException("torn");
        });
        CompletableFuture<String> error = calls.call(() -> {
            throw new AssertionError("bug");
        });
        CompletableFuture<String> after = call("after");
        runAll();

        assertFailed(checked, Effect.UNKNOWN, "torn");
        assertThatThrownBy(error::join).hasCauseInstanceOf(AssertionError.class);
        assertThat(after).isCompletedWithValue("after");
    }

    @Test
    void what_had_not_begun_when_the_store_was_closed_fails_without_an_effect() {
        CompletableFuture<String> before = call("before");
        calls.close();
        CompletableFuture<String> after = call("after");
        runAll();

        assertFailed(before, Effect.NONE, "closed");
        assertFailed(after, Effect.NONE, "closed");
        assertThat(ran).isEmpty();
    }

    @Test
    void what_the_calls_used_is_freed_when_none_runs_any_more() {
        CompletableFuture<String> running = calls.call(() -> {
            calls.close(() -> ran.add("freed"));
            assertThat(threads).as("the other worker has not ended either").hasSize(1);
            ran.add("running");
            return "running";
        });
        CompletableFuture<String> waiting = call("waiting");
        threads.remove().run();

        assertThat(running).isCompletedWithValue("running");
        assertFailed(waiting, Effect.NONE, "closed");
        assertThat(ran).containsExactly("running");

        runAll();
        assertThat(ran).containsExactly("running", "freed");
    }

    @Test
    void what_the_calls_used_is_freed_at_once_if_none_runs() {
        call("before");
        runAll();

        calls.close(() -> ran.add("freed"));

        assertThat(ran).containsExactly("before", "freed");
    }

    @Test
    void a_host_without_threads_is_a_closed_store() {
        BlockingCalls shutDown = new BlockingCalls(
                task -> {
                    throw new RejectedExecutionException();
                },
                1);

        assertFailed(shutDown.call(() -> "never"), Effect.NONE, "closed");
        shutDown.close(() -> ran.add("freed"));
        assertThat(ran).containsExactly("freed");
    }

    @Test
    void there_is_a_limit_to_what_waits() {
        for (int i = 0; i < 100_000; i++) {
            call("waits");
        }

        assertFailed(call("too many"), Effect.NONE, "too slow");
        runAll();
        assertThat(ran).hasSize(100_000).doesNotContain("too many");
    }
}
