package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.BackendException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class CallQueueTest {
    private final Deque<Runnable> threads = new ArrayDeque<>();
    private final CallQueue queue = new CallQueue(threads::add);
    private final List<String> done = new ArrayList<>();

    private void runAll() {
        while (!threads.isEmpty()) {
            threads.poll().run();
        }
    }

    @Test
    void a_renewal_overtakes_claims_that_wait() {
        for (int i = 0; i < 3; i++) {
            queue.add(() -> done.add("claim"));
        }
        queue.addRenewal(() -> done.add("renewal"));

        runAll();

        assertThat(done).containsExactly("renewal", "claim", "claim", "claim");
    }

    @Test
    void no_more_calls_run_at_once_than_there_are_connections() {
        for (int i = 0; i < 10; i++) {
            queue.add(() -> done.add("claim"));
        }

        assertThat(threads).hasSize(CallQueue.AT_ONCE_MAX);
        runAll();
        assertThat(done).hasSize(10);
    }

    @Test
    void a_call_that_fails_does_not_hold_up_the_next() {
        CompletionStage<Object> failing = queue.add(() -> {
            throw new IllegalStateException("a driver's bug");
        });
        queue.add(() -> done.add("claim"));

        runAll();

        assertThat(failing.toCompletableFuture()).isCompletedExceptionally();
        assertThat(done).containsExactly("claim");
    }

    @Test
    void calls_that_have_not_begun_fail_when_it_is_closed() {
        CompletionStage<Boolean> waiting = queue.add(() -> done.add("claim"));

        queue.close();
        CompletionStage<Boolean> later = queue.add(() -> done.add("claim"));
        runAll();

        assertThat(waiting.toCompletableFuture()).isCompletedExceptionally();
        assertThat(later.toCompletableFuture())
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(BackendException.class);
        assertThat(done).isEmpty();
    }
}
