// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.jdbc.CallBatcher.CallKind;
import dev.tenure.jdbc.CallBatcher.PendingCall;
import dev.tenure.jdbc.CallBatcher.Priority;
import dev.tenure.spi.BackendException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class CallBatcherTest {
    private static final int MOST = 3;

    private final Deque<Runnable> threads = new ArrayDeque<>();
    private final CallBatcher queue = new CallBatcher(threads::add);
    /** What was carried out together, in order. */
    private final List<List<String>> done = new ArrayList<>();

    private final CallKind<String, String> renewals = queue.together(Priority.URGENT, () -> 1, this::carryOut);
    private final CallKind<String, String> claims = queue.together(Priority.CHANGING, () -> MOST, this::carryOut);
    private final CallKind<String, String> deletions = queue.together(Priority.CHANGING, () -> 1, this::carryOut);

    private void carryOut(List<PendingCall<String, String>> asked) {
        done.add(asked.stream().map(PendingCall::question).toList());
        if (done.get(done.size() - 1).contains("bug")) {
            throw new IllegalStateException("a driver's bug");
        }
        asked.forEach(one -> one.reply().complete("reply to " + one.question()));
    }

    private void runAll() {
        while (!threads.isEmpty()) {
            threads.poll().run();
        }
    }

    @Test
    void a_renewal_overtakes_claims_that_wait() {
        claims.ask("a", "claim");
        renewals.ask("s", "renewal");

        runAll();

        assertThat(done).containsExactly(List.of("renewal"), List.of("claim"));
    }

    @Test
    void what_waits_is_carried_out_together_but_not_too_much_of_it() {
        for (String key : List.of("a", "b", "c", "d")) {
            claims.ask(key, key);
        }

        runAll();

        assertThat(done).containsExactly(List.of("a", "b", "c"), List.of("d"));
    }

    @Test
    void two_calls_about_the_same_are_not_carried_out_together_and_stay_in_order() {
        claims.ask("a", "first");
        claims.ask("a", "second");
        claims.ask("b", "third");

        runAll();

        assertThat(done).containsExactly(List.of("first"), List.of("second", "third"));
    }

    @Test
    void what_many_look_for_is_looked_up_once() {
        CallKind<String, String> looks = queue.together(Priority.LOOKING, () -> MOST, this::carryOut);
        looks.ask("a", "one");
        looks.ask("a", "other");

        runAll();

        assertThat(done).containsExactly(List.of("one", "other"));
    }

    @Test
    void while_some_are_carried_out_together_others_gather() {
        List<CallKind<String, String>> asking = new ArrayList<>();
        CallKind<String, String> line = queue.together(Priority.CHANGING, () -> MOST, asked -> {
            if (done.isEmpty()) {
                asking.get(0).ask("b", "b");
                threads.poll().run(); // the other thread comes in between, and finds nothing to do
                asking.get(0).ask("c", "c");
            }
            carryOut(asked);
        });
        asking.add(line);
        line.ask("a", "a");

        runAll();

        assertThat(done).containsExactly(List.of("a"), List.of("b", "c"));
    }

    @Test
    void lines_take_turns_by_who_has_waited_longest() {
        deletions.ask("x", "x");
        claims.ask("a", "a");
        deletions.ask("y", "y");

        runAll();

        assertThat(done).containsExactly(List.of("x"), List.of("a"), List.of("y"));
    }

    @Test
    void each_gets_its_own_reply() {
        CompletionStage<String> one = claims.ask("a", "a");
        CompletionStage<String> other = claims.ask("b", "b");

        runAll();

        assertThat(one.toCompletableFuture()).isCompletedWithValue("reply to a");
        assertThat(other.toCompletableFuture()).isCompletedWithValue("reply to b");
    }

    @Test
    void no_more_calls_run_at_once_than_there_are_connections() {
        for (int i = 0; i < 10; i++) {
            deletions.ask("x", "x");
        }

        assertThat(threads).hasSize(CallBatcher.AT_ONCE_MAX);
        runAll();
        assertThat(done).hasSize(10);
    }

    @Test
    void a_call_that_fails_does_not_hold_up_the_next() {
        CompletionStage<String> failing = claims.ask("a", "bug");
        CompletionStage<String> beside = claims.ask("b", "b");
        CompletionStage<String> next = deletions.ask("c", "c");

        runAll();

        assertThat(failing.toCompletableFuture()).isCompletedExceptionally();
        assertThat(beside.toCompletableFuture()).isCompletedExceptionally();
        assertThat(next.toCompletableFuture()).isCompletedWithValue("reply to c");
    }

    @Test
    void calls_that_have_not_begun_fail_without_effect_when_it_is_closed() {
        CompletionStage<String> waiting = claims.ask("a", "claim");

        queue.close();
        CompletionStage<String> later = claims.ask("a", "claim");
        runAll();

        for (CompletionStage<String> call : List.of(waiting, later)) {
            assertThat(call.toCompletableFuture())
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .withCauseInstanceOf(BackendException.class)
                    .havingCause()
                    .matches(cause -> ((BackendException) cause).effect() == BackendException.Effect.NONE);
        }
        assertThat(done).isEmpty();
    }
}
