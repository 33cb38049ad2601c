// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/**
 * Lets calls of a backend and of its sessions fail in every way once: thrown before it is done, and told after it was done.
 * Safe for any thread.
 */
public final class FaultyBackend {
    private static final List<Supplier<Throwable>> KINDS = List.of(
            () -> new BackendException(
                    BackendException.Effect.UNKNOWN, BackendException.Kind.UNREACHABLE, "the answer was lost"),
            () -> new IllegalStateException("a bug of the client"),
            () -> new AssertionError("an error, not an exception"));

    private final Map<String, Queue<Trick>> tricks = new ConcurrentHashMap<>();

    private record Trick(Throwable failure, boolean afterwards) {}

    /** @param operations the methods that are to fail; of those with this name only the ones that answer later */
    public FaultyBackend(String... operations) {
        for (String operation : operations) {
            Queue<Trick> queue = new ConcurrentLinkedQueue<>();
            KINDS.forEach(kind -> queue.add(new Trick(kind.get(), false)));
            KINDS.forEach(kind -> queue.add(new Trick(kind.get(), true)));
            tricks.put(operation, queue);
        }
    }

    /** The same backend, with these faults. One can serve several backends, and does everything once for all of them. */
    public Backend around(Backend backend) {
        return around(Backend.class, backend);
    }

    /** Has everything gone wrong that can? */
    public boolean isDone() {
        return tricks.values().stream().allMatch(Queue::isEmpty);
    }

    private <T> T around(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    if (method.getDeclaringClass() == Object.class) {
                        return ofObject(self, method, arguments);
                    }
                    return method.getReturnType() == CompletionStage.class
                            ? withFaults(target, method, arguments)
                            : invoke(target, method, arguments);
                }));
    }

    /** A caller that keeps it in a set must find it there again. */
    private static Object ofObject(Object self, Method method, Object[] arguments) {
        return switch (method.getName()) {
            case "equals" -> self == arguments[0];
            case "hashCode" -> System.identityHashCode(self);
            default -> "faulty";
        };
    }

    private Object withFaults(Object target, Method method, Object[] arguments) throws Throwable {
        Queue<Trick> queue = tricks.getOrDefault(method.getName(), new ConcurrentLinkedQueue<>());
        Trick trick = queue.poll();
        if (trick != null && !trick.afterwards) {
            throw trick.failure;
        }
        CompletionStage<?> result = (CompletionStage<?>) invoke(target, method, arguments);
        if (trick != null) {
            return result.thenCompose(done -> CompletableFuture.failedFuture(trick.failure));
        }
        return method.getName().equals("open")
                ? result.thenApply(session -> around(BackendSession.class, (BackendSession) session))
                : result;
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }
}
