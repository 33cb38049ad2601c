package dev.tenure.zookeeper;

import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Lets operations of a store fail in every way once: thrown before it is done, and told after it was done. */
final class Gremlin {
    private static final List<Supplier<Throwable>> KINDS = List.of(
            () -> new BackendException(
                    BackendException.Effect.UNKNOWN, BackendException.Kind.UNREACHABLE, "the answer was lost"),
            () -> new IllegalStateException("a bug of the client"),
            () -> new AssertionError("an error, not an exception"));

    private final Map<String, Queue<Trick>> tricks = new ConcurrentHashMap<>();

    private record Trick(Throwable failure, boolean afterwards) {}

    /** @param operations the methods that are to fail */
    Gremlin(String... operations) {
        for (String operation : operations) {
            Queue<Trick> queue = new ArrayDeque<>();
            KINDS.forEach(kind -> queue.add(new Trick(kind.get(), false)));
            KINDS.forEach(kind -> queue.add(new Trick(kind.get(), true)));
            tricks.put(operation, queue);
        }
    }

    Backend around(Backend backend) {
        return around(Backend.class, backend);
    }

    /** Has everything gone wrong that can? */
    boolean isDone() {
        return tricks.values().stream().allMatch(Queue::isEmpty);
    }

    private <T> T around(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    Queue<Trick> queue = tricks.getOrDefault(method.getName(), new ArrayDeque<>());
                    Trick trick = queue.poll();
                    if (trick != null && !trick.afterwards) {
                        throw trick.failure;
                    }
                    Object result = invoke(target, method, arguments);
                    if (trick != null) {
                        return ((CompletionStage<?>) result)
                                .thenCompose(done -> CompletableFuture.failedFuture(trick.failure));
                    }
                    return method.getName().equals("open")
                            ? ((CompletionStage<?>) result)
                                    .thenApply(session -> around(BackendSession.class, (BackendSession) session))
                            : result;
                }));
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }
}
