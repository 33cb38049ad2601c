// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class StagesTest {
    private static final BackendException NOTHING = new BackendException(Effect.NONE, Kind.UNREACHABLE, "refused");

    @Test
    void a_failure_is_told_without_what_futures_wrap_around_it() {
        List<Object> heard = new ArrayList<>();
        CompletableFuture<String> call = new CompletableFuture<>();

        Stages.follow(call.thenApply(reply -> reply), heard::add, heard::add);
        call.completeExceptionally(NOTHING);

        assertThat(heard).containsExactly(NOTHING);
        assertThat(Stages.rootOf(new ExecutionException(new CompletionException(NOTHING))))
                .isSameAs(NOTHING);
        assertThat(Stages.rootOf(new CompletionException("alone", null))).hasMessage("alone");
    }

    @Test
    void a_bug_in_what_follows_an_answer_is_no_failure_of_the_call() {
        List<Object> heard = new ArrayList<>();

        Stages.follow(
                CompletableFuture.completedFuture("reply"),
                reply -> {
                    throw new IllegalStateException("bug");
                },
                heard::add);

        assertThat(heard).isEmpty();
    }

    @Test
    void only_the_word_of_a_backend_says_that_nothing_happened() {
        assertThat(Stages.effectOf(new CompletionException(NOTHING))).isEqualTo(Effect.NONE);
        assertThat(Stages.effectOf(new IllegalStateException())).isEqualTo(Effect.UNKNOWN);
        assertThat(Stages.effectOf(new BackendException(Effect.UNKNOWN, Kind.UNREACHABLE, "lost")))
                .isEqualTo(Effect.UNKNOWN);
    }
}
