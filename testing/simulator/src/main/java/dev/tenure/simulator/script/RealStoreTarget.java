// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.script;

import dev.tenure.spi.Backend;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/** A real store, in real time: every process has a loop of its own. */
public abstract class RealStoreTarget implements ScriptTarget {
    private static final long MOMENT_NANOS = Duration.ofMillis(5).toNanos();

    private final Function<String, Host> hosts;
    private final Host director;
    private final Map<String, Host> loops = new HashMap<>();
    private final List<Backend> backends = new ArrayList<>();

    /** @param hosts starts a host of this name */
    protected RealStoreTarget(Function<String, Host> hosts) {
        this.hosts = hosts;
        this.director = hosts.apply("director");
    }

    protected abstract Backend connect(String who, Host host);

    @Override
    public final Backend connect(String who) {
        Host host = hosts.apply("process");
        loops.put(who, host);
        Backend backend = connect(who, host);
        backends.add(backend);
        return backend;
    }

    @Override
    public final <T> CompletableFuture<T> call(String who, Supplier<CompletionStage<T>> call) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Objects.requireNonNull(loops.get(who), who)
                .post(() -> call.get().whenComplete((reply, failure) -> {
                    if (failure == null) {
                        answer.complete(reply);
                    } else {
                        answer.completeExceptionally(failure);
                    }
                }));
        return answer;
    }

    @Override
    public final long nanos() {
        return director.nanos();
    }

    @Override
    public final void pass() {
        try {
            director.signal().await(MOMENT_NANOS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted in the middle of a script", interrupted);
        }
    }

    @Override
    public void close() {
        backends.forEach(Backend::close);
        loops.values().forEach(Host::shutdown);
        director.shutdown();
    }
}
