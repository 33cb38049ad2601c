package dev.tenure.jdbc;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;

/** Calls of one kind that wait in a {@link CallQueue}, in the order of their arrival. Guarded by the queue's monitor. */
final class Line<Q, R> {
    /** Carries out some calls at once. What it does not reply to by itself fails with what it throws. */
    interface Answering<Q, R> {
        void answer(List<Asked<Q, R>> asked);
    }

    /** How its calls stand to each other and to those of other lines. */
    enum Manner {
        /** They overtake all others. */
        URGENT,
        /** They change something, so that two about the same are not carried out together. */
        CHANGING,
        /** They change nothing: what many ask for is looked up once. */
        LOOKING
    }

    /** One call and its reply. */
    static final class Asked<Q, R> {
        private final String key;
        private final Q question;
        private final long arrival;
        private final CompletableFuture<R> reply = new CompletableFuture<>();

        Asked(String key, Q question, long arrival) {
            this.key = key;
            this.question = question;
            this.arrival = arrival;
        }

        Q question() {
            return question;
        }

        CompletionStage<R> reply() {
            return reply;
        }

        void reply(R answer) {
            reply.complete(answer);
        }

        void fail(Throwable failure) {
            reply.completeExceptionally(failure);
        }

        /** Answers with what becomes of another call. */
        void replyAs(CompletionStage<R> other) {
            other.whenComplete((answer, failure) -> {
                if (failure == null) {
                    reply(answer);
                } else {
                    fail(failure);
                }
            });
        }
    }

    private final CallQueue queue;
    private final Manner manner;
    private final IntSupplier most;
    private final Answering<Q, R> answering;
    private final Deque<Asked<Q, R>> waiting = new ArrayDeque<>();
    private boolean busy;

    Line(CallQueue queue, Manner manner, IntSupplier most, Answering<Q, R> answering) {
        this.queue = queue;
        this.manner = manner;
        this.most = most;
        this.answering = answering;
    }

    /** @param key what it is about */
    CompletionStage<R> ask(String key, Q question) {
        return queue.add(this, key, question);
    }

    boolean isUrgent() {
        return manner == Manner.URGENT;
    }

    int size() {
        return waiting.size();
    }

    /** While some are carried out together, others gather, to be carried out together next. */
    boolean isReady() {
        return !waiting.isEmpty() && !busy;
    }

    void carriedOut() {
        busy = false;
    }

    long oldestArrival() {
        return waiting.element().arrival;
    }

    void enqueue(Asked<Q, R> asked) {
        waiting.add(asked);
    }

    void moveTo(List<Asked<?, ?>> left) {
        left.addAll(waiting);
        waiting.clear();
    }

    Runnable takeTogether() {
        int limit = most.getAsInt();
        busy = limit > 1;
        List<Asked<Q, R>> taken = new ArrayList<>();
        Set<String> keys = new HashSet<>();
        while (!waiting.isEmpty()
                && taken.size() < limit
                && (keys.add(waiting.element().key) || manner == Manner.LOOKING)) {
            taken.add(waiting.remove());
        }
        return () -> answer(taken);
    }

    // Whatever it is goes to the callers, who must not wait for ever; and the calls behind it are not to blame.
    private void answer(List<Asked<Q, R>> taken) {
        try {
            answering.answer(taken);
        } catch (RuntimeException | Error failure) {
            taken.forEach(asked -> asked.fail(failure));
        } finally {
            queue.carriedOut(this);
        }
    }
}
