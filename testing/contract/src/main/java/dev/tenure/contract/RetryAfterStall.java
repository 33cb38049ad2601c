// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.ReflectionSupport;
import org.opentest4j.TestAbortedException;

/**
 * Cases have short TTLs, so that the suite does not take an hour. On a machine that stands still for a good part of one, a
 * session ends that a case relies on, and its failure says nothing about the backend. Such a case, and no other, begins
 * again in a namespace of its own, and the log tells it and counts. A case that fails on a machine that goes on has failed.
 */
final class RetryAfterStall implements InvocationInterceptor {
    private static final System.Logger LOG = System.getLogger(RetryAfterStall.class.getName());

    private static final AtomicInteger BEGUN_AGAIN = new AtomicInteger();
    private static final int TRIES = 3;
    /** After one lost answer a retry has a fifth of the TTL before the drain begins. */
    private static final int TTL_SHARE = 5;

    private final StallDetector stallDetector = StallDetector.OF_THIS_PROCESS;

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> test, ExtensionContext context)
            throws Throwable {
        BackendContract contract = (BackendContract) test.getTarget().orElseThrow();
        long begunNanos = System.nanoTime();
        try {
            invocation.proceed();
        } catch (TestAbortedException skipped) {
            throw skipped;
        } catch (Throwable failure) {
            repeat(contract, test, failure, begunNanos);
        }
    }

    private void repeat(
            BackendContract contract, ReflectiveInvocationContext<Method> test, Throwable first, long firstBegunNanos)
            throws Throwable {
        Throwable failure = first;
        long begunNanos = firstBegunNanos;
        for (int tried = 1; tried < TRIES; tried++) {
            Duration still = longest(contract, begunNanos);
            if (still.multipliedBy(TTL_SHARE).compareTo(contract.ttl()) < 0) {
                break;
            }
            LOG.log(
                    Level.WARNING,
                    "begins again, the " + BEGUN_AGAIN.incrementAndGet()
                            + ". time of all cases, for the machine stood still for " + still.toMillis() + " ms: "
                            + test.getTargetClass().getSimpleName() + "."
                            + test.getExecutable().getName() + ": " + firstLine(failure));
            contract.beginAgain();
            begunNanos = System.nanoTime();
            try {
                ReflectionSupport.invokeMethod(
                        test.getExecutable(), contract, test.getArguments().toArray());
                return;
            } catch (Throwable again) { // also what a test throws unchecked: it is judged by the next round
                failure = again;
            }
        }
        throw failure;
    }

    private static String firstLine(Throwable failure) {
        return String.valueOf(failure.getMessage()).strip().lines().findFirst().orElse("");
    }

    private Duration longest(BackendContract contract, long sinceNanos) {
        Duration ownStandstill = stallDetector.mostSince(sinceNanos, contract.ttl());
        Duration slowestAnswer = contract.fixture().slowestRenewal();
        return ownStandstill.compareTo(slowestAnswer) > 0 ? ownStandstill : slowestAnswer;
    }
}
