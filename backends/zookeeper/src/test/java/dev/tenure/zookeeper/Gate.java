// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendSession;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Stands between an engine and its store, counts the calls, and can hold back one answer that has already come. */
final class Gate {
    private final Map<String, AtomicLong> calls = new ConcurrentHashMap<>();
    private final Map<String, Held> toHold = new ConcurrentHashMap<>();

    /** One answer that its caller does not get yet. */
    static final class Held {
        private final CompletableFuture<Object> came = new CompletableFuture<>();
        private final CompletableFuture<Object> delivered = new CompletableFuture<>();

        /** Has the store answered, so that only the gate keeps it? */
        boolean hasCome() {
            return came.isDone();
        }

        void letGo() {
            came.whenComplete((reply, failure) -> {
                if (failure == null) {
                    delivered.complete(reply);
                } else {
                    delivered.completeExceptionally(failure);
                }
            });
        }
    }

    /** The answer to the next call of this method. */
    Held holdNext(String method) {
        Held held = new Held();
        toHold.put(method, held);
        return held;
    }

    /** How often this method was called. */
    long calls(String method) {
        return counter(method).get();
    }

    private AtomicLong counter(String method) {
        return calls.computeIfAbsent(method, name -> new AtomicLong());
    }

    Backend around(Backend backend) {
        return around(Backend.class, backend);
    }

    private <T> T around(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    counter(method.getName()).incrementAndGet();
                    Object result = invoke(target, method, arguments);
                    Held held = toHold.remove(method.getName());
                    if (held != null) {
                        ((CompletionStage<?>) result).whenComplete((reply, failure) -> {
                            if (failure == null) {
                                held.came.complete(reply);
                            } else {
                                held.came.completeExceptionally(failure);
                            }
                        });
                        return held.delivered;
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
