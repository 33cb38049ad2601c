// SPDX-License-Identifier: Apache-2.0
package dev.tenure.testing.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class CoroutineTest {
    private final List<String> log = new ArrayList<>();
    private Coroutine coroutine = new Coroutine("unused", () -> {});

    @Test
    void caller_and_coroutine_take_turns() {
        coroutine = new Coroutine("turns", () -> {
            for (int i = 0; i < 3; i++) {
                log.add("coroutine " + i);
                coroutine.park();
            }
        });

        for (int i = 0; !coroutine.hasEnded(); i++) {
            log.add("caller " + i);
            coroutine.resume();
        }

        assertThat(log)
                .containsExactly(
                        "caller 0", "coroutine 0", "caller 1", "coroutine 1", "caller 2", "coroutine 2", "caller 3");
        assertThat(coroutine.thread().isAlive()).isFalse();
    }

    @Test
    void an_interrupt_does_not_end_the_turn_and_is_not_lost() {
        coroutine = new Coroutine("interrupted", () -> {
            coroutine.park();
            log.add("interrupted " + Thread.currentThread().isInterrupted());
        });
        coroutine.resume();

        coroutine.thread().interrupt();
        Thread.currentThread().interrupt();
        coroutine.resume();

        assertThat(log).containsExactly("interrupted true");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void unwinding_ends_a_parked_thread_through_its_finally_blocks() {
        coroutine = new Coroutine("unwound", () -> {
            try {
                coroutine.park();
                log.add("not reached");
            } finally {
                log.add("finally");
            }
        });
        coroutine.resume();

        coroutine.unwind();

        assertThat(log).containsExactly("finally");
        assertThat(coroutine.thread().isAlive()).isFalse();
    }

    @Test
    void unwinding_what_was_never_started_starts_nothing() {
        coroutine = new Coroutine("unborn", () -> log.add("not reached"));

        coroutine.unwind();
        coroutine.resume();

        assertThat(log).isEmpty();
        assertThat(coroutine.thread().getState()).isEqualTo(Thread.State.NEW);
    }

    @Test
    void code_that_swallows_everything_still_ends_when_it_stops_looping() {
        coroutine = new Coroutine("stubborn", () -> {
            for (int i = 0; i < 1000; i++) {
                try {
                    coroutine.park();
                } catch (Throwable swallowed) {
                    log.add("swallowed");
                }
            }
        });
        coroutine.resume();

        coroutine.unwind();

        assertThat(log).hasSize(1000);
        assertThat(coroutine.thread().isAlive()).isFalse();
    }

    @Test
    void code_that_blocks_for_real_is_named_instead_of_hanging_the_caller() {
        CountDownLatch real = new CountDownLatch(1);
        coroutine = new Coroutine(
                "a/duty",
                () -> {
                    try {
                        real.await();
                    } catch (InterruptedException impossible) {
                        throw new AssertionError(impossible);
                    }
                },
                1);

        assertThatThrownBy(coroutine::resume)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a/duty has been blocked for 1 s")
                .satisfies(stuck -> assertThat(stuck.getStackTrace())
                        .anyMatch(frame -> frame.getMethodName().equals("await")));
        real.countDown();
    }
}
