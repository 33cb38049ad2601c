// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import dev.tenure.spi.support.BlockingCalls;
import dev.tenure.spi.support.Stages;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntSupplier;

/**
 * Calls on their way to a connection: as many at once as there are connections, renewals first. Thousands of claims that
 * wait must not let the one renewal come too late that carries all of them.
 *
 * <p>Calls of one {@link CallKind} are carried out together, as many as wait when it is their turn.
 */
final class CallBatcher {
    /** As many connections are used. */
    static final int AT_ONCE_MAX = 2;

    /** More in one statement would save little, and let a renewal wait too long. */
    static final int TOGETHER_MAX = 256;

    /** Each call puts one turn in here. A turn carries out what is next, with all that goes together with it. */
    private final BlockingCalls turns;

    private final List<CallKind<?, ?>> kinds = new ArrayList<>();
    private long arrivals;

    CallBatcher(Executor io) {
        this.turns = new BlockingCalls(io, AT_ONCE_MAX);
    }

    /** How the calls of a kind stand to each other and to those of other kinds. */
    enum Priority {
        /** They overtake all others. */
        URGENT,
        /** They change something, so that two about the same are not carried out together. */
        CHANGING,
        /** They change nothing: what many ask for is looked up once. */
        LOOKING
    }

    record PendingCall<Q, R>(String key, Q question, long arrival, CompletableFuture<R> reply) {}

    /** Calls of one kind, in the order of their arrival. Guarded by the batcher's monitor. */
    final class CallKind<Q, R> {
        private final Priority priority;
        private final IntSupplier most;
        private final Consumer<List<PendingCall<Q, R>>> executing;
        private final Deque<PendingCall<Q, R>> waiting = new ArrayDeque<>();
        /** While some are carried out together, others gather, to be carried out together next. */
        private boolean busy;

        private CallKind(Priority priority, IntSupplier most, Consumer<List<PendingCall<Q, R>>> executing) {
            this.priority = priority;
            this.most = most;
            this.executing = executing;
        }

        /** @param key what it is about */
        CompletionStage<R> ask(String key, Q question) {
            PendingCall<Q, R> call;
            synchronized (CallBatcher.this) {
                call = new PendingCall<>(key, question, arrivals++, new CompletableFuture<>());
                waiting.add(call);
            }
            Stages.follow(turns.call(CallBatcher.this::takeTurn), done -> {}, refused -> {
                synchronized (CallBatcher.this) {
                    waiting.remove(call);
                }
                call.reply().completeExceptionally(refused);
            });
            return call.reply();
        }

        private boolean isBefore(CallKind<?, ?> other) {
            boolean urgent = priority == Priority.URGENT;
            return urgent == (other.priority == Priority.URGENT)
                    ? waiting.element().arrival < other.waiting.element().arrival
                    : urgent;
        }

        private Runnable takeTogether() {
            int limit = most.getAsInt();
            busy = limit > 1;
            List<PendingCall<Q, R>> taken = new ArrayList<>();
            Set<String> keys = new HashSet<>();
            while (!waiting.isEmpty()
                    && taken.size() < limit
                    && (keys.add(waiting.element().key) || priority == Priority.LOOKING)) {
                taken.add(waiting.remove());
            }
            return () -> answer(taken);
        }

        // Whatever it is goes to the callers, which must not wait for ever; and the calls behind it are not to blame.
        private void answer(List<PendingCall<Q, R>> taken) {
            try {
                executing.accept(taken);
            } catch (RuntimeException | Error failure) {
                taken.forEach(asked -> asked.reply().completeExceptionally(failure));
            } finally {
                synchronized (CallBatcher.this) {
                    busy = false;
                }
            }
        }
    }

    /** Calls that are carried out one by one. */
    <Q, R> CallKind<Q, R> singly(Priority priority, Function<Q, R> answer) {
        return together(
                priority, () -> 1, asked -> asked.forEach(one -> one.reply().complete(answer.apply(one.question()))));
    }

    /**
     * @param most how many may be carried out together now
     * @param executing carries out some calls at once; what it does not complete by itself fails with what it throws
     */
    synchronized <Q, R> CallKind<Q, R> together(
            Priority priority, IntSupplier most, Consumer<List<PendingCall<Q, R>>> executing) {
        CallKind<Q, R> kind = new CallKind<>(priority, most, executing);
        kinds.add(kind);
        return kind;
    }

    /** Those that came while their kind was busy have had their turn in vain, so one more follows. */
    private boolean takeTurn() {
        Optional<Runnable> next = next();
        next.ifPresent(batch -> {
            batch.run();
            Stages.ignore("one more turn", turns.call(this::takeTurn));
        });
        return next.isPresent();
    }

    private synchronized Optional<Runnable> next() {
        return kinds.stream()
                .filter(kind -> !kind.busy && !kind.waiting.isEmpty())
                .reduce((one, other) -> other.isBefore(one) ? other : one)
                .map(CallKind::takeTogether);
    }

    /** Calls that have not begun fail, without effect. */
    void close() {
        turns.close();
        List<PendingCall<?, ?>> left = new ArrayList<>();
        synchronized (this) {
            kinds.forEach(kind -> left.addAll(kind.waiting));
            kinds.forEach(kind -> kind.waiting.clear());
        }
        left.forEach(call -> call.reply().completeExceptionally(BlockingCalls.closed()));
    }
}
