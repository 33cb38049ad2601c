// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Threads that begin in the same instant. */
final class ConcurrentThreads {
    private ConcurrentThreads() {}

    /** What each of them does. */
    @FunctionalInterface
    interface Task<T> {
        T run(int member) throws Exception;
    }

    /** Runs this on so many threads at once and returns what each came to, in the order of their numbers. */
    static <T> List<T> together(int members, Await await, Task<T> task) {
        CountDownLatch ready = new CountDownLatch(members);
        List<CompletableFuture<T>> results = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            int member = i;
            results.add(start("contract-crew-" + i, () -> {
                ready.countDown();
                if (!ready.await(await.limit().toNanos(), TimeUnit.NANOSECONDS)) {
                    throw new AssertionError("the crew never got together");
                }
                return task.run(member);
            }));
        }
        return results.stream().map(await::reply).toList();
    }

    /** Something that runs on a thread of its own. */
    @FunctionalInterface
    interface Errand<T> {
        T run() throws Exception;
    }

    static <T> CompletableFuture<T> start(String name, Errand<T> errand) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> carryOut(errand, result), name);
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    // Whatever the errand throws is for the test to judge, on its own thread.
    private static <T> void carryOut(Errand<T> errand, CompletableFuture<T> result) {
        try {
            result.complete(errand.run());
        } catch (Throwable failure) {
            result.completeExceptionally(new CompletionException(failure));
        }
    }
}
