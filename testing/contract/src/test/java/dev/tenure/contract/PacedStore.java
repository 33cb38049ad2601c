// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import dev.tenure.testing.VirtualTime;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One client of a store that lives in virtual time, which is made to pass as fast as real time does. */
final class PacedStore implements LeaseStore {
    private final LeaseStore store;
    private final Pace pace;
    private volatile boolean closed;

    PacedStore(LeaseStore store, Pace pace) {
        this.store = store;
        this.pace = pace;
    }

    /** Drives one world on one thread; whoever wants something of it asks that thread. */
    static final class Pace {
        private final LinkedBlockingQueue<Runnable> errands = new LinkedBlockingQueue<>();
        private final long originNanos = System.nanoTime();
        private final VirtualTime time;
        private final Thread thread;

        Pace(VirtualTime time) {
            this.time = time;
            this.thread = new Thread(this::run, "pace");
            thread.setDaemon(true);
            thread.start();
        }

        private void run() {
            try {
                while (true) {
                    Runnable errand = errands.poll(200, TimeUnit.MICROSECONDS);
                    // After the errand was taken: the store's clock must not show a time before the moment it was
                    // asked.
                    time.runUntil(System.nanoTime() - originNanos);
                    if (errand != null) {
                        errand.run();
                    }
                }
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }

        void stop() {
            thread.interrupt();
        }
    }

    private <T> CompletionStage<T> ask(Supplier<CompletionStage<T>> call) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        if (closed) {
            reply.completeExceptionally(new BackendException(
                    BackendException.Effect.NONE, BackendException.Kind.UNREACHABLE, "this client is closed"));
        } else {
            pace.errands.add(() -> call.get().thenAccept(reply::complete));
        }
        return reply;
    }

    @Override
    public BackendTraits traits() {
        return store.traits();
    }

    @Override
    public CompletionStage<Versioned> read(String key) {
        return ask(() -> store.read(key));
    }

    @Override
    public CompletionStage<List<Versioned>> list(String prefix) {
        return ask(() -> store.list(prefix));
    }

    @Override
    public CompletionStage<WriteReply> compareAndSet(Write write) {
        return ask(() -> store.compareAndSet(write));
    }

    @Override
    public CompletionStage<WriteReply> delete(Versioned expected) {
        return ask(() -> store.delete(expected));
    }

    @Override
    public Watch watch(String prefix, Consumer<String> changedKey) {
        CompletionStage<Watch> watch = ask(() -> CompletableFuture.completedFuture(store.watch(prefix, changedKey)));
        return () -> ask(() -> watch.thenApply(open -> {
                    open.close();
                    return open;
                }))
                .toCompletableFuture()
                .join();
    }

    @Override
    public void close() {
        closed = true;
    }
}
