// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** Waits for conditions, never for a fixed time; only a test that has failed already uses up the limit. */
final class Await {
    private static final Duration LIMIT_MIN = Duration.ofSeconds(15);
    private static final int TTLS = 6;
    private static final Duration LOOK_EVERY = Duration.ofMillis(1);

    private final Duration limit;

    private Await(Duration limit) {
        this.limit = limit;
    }

    /** Long enough for what a store does in several times its TTL. */
    static Await forTtl(Duration ttl) {
        return new Await(LIMIT_MIN.plus(ttl.multipliedBy(TTLS)));
    }

    /** For what is known to fail: the sooner the better. */
    static Await of(Duration limit) {
        return new Await(limit);
    }

    Duration limit() {
        return limit;
    }

    /** A condition that may look at something that fails. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws Exception;
    }

    void until(String what, Condition condition) {
        until(what, LOOK_EVERY, condition);
    }

    /** The same, looking less often: for conditions that ask the store. */
    void until(String what, Duration every, Condition condition) {
        long byNanos = System.nanoTime() + limit.toNanos();
        while (!holds(what, condition)) {
            if (System.nanoTime() - byNanos > 0) {
                throw new AssertionError("not within " + limit.toSeconds() + " s: " + what);
            }
            LockSupport.parkNanos(every.toNanos());
        }
    }

    /** Looks for this long at most, and tells whether it came about: for what may be lost, and is then tried again. */
    boolean within(Duration time, Condition condition) {
        long byNanos = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - byNanos < 0) {
            if (holds("a condition", condition)) {
                return true;
            }
            LockSupport.parkNanos(LOOK_EVERY.toNanos());
        }
        return false;
    }

    /** For cases about something that must still be so after a while. */
    void untilPassed(Duration time) {
        long byNanos = System.nanoTime() + time.toNanos();
        until("the clock goes on", () -> System.nanoTime() - byNanos >= 0);
    }

    private static boolean holds(String what, Condition condition) {
        try {
            return condition.holds();
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Exception failure) {
            throw new AssertionError("failed while waiting for: " + what, failure);
        }
    }

    /** The reply to a call, which must come. */
    <T> T reply(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failure) {
            throw new AssertionError("the call failed: " + failure.getCause(), failure.getCause());
        } catch (TimeoutException failure) {
            throw new AssertionError("no answer within " + limit.toSeconds() + " s", failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for an answer", interrupted);
        }
    }

    /** Whether the call ended with a failure; it must have ended somehow. */
    boolean fails(CompletionStage<?> stage) {
        until(
                "the call is answered, one way or the other",
                () -> stage.toCompletableFuture().isDone());
        try {
            stage.toCompletableFuture().join();
            return false;
        } catch (CompletionException | CancellationException failure) {
            return true;
        }
    }
}
