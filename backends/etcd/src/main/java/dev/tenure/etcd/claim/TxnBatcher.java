// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.claim;

import dev.tenure.etcd.client.EtcdClient;
import dev.tenure.etcd.client.EtcdError;
import dev.tenure.etcd.client.GrantedLease;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.client.Txn;
import dev.tenure.etcd.client.Txn.Operation;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.Batcher;
import dev.tenure.spi.support.Stages;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Carries the steps of one session to the store: those that are asked for while others are under way travel together
 * in one transaction. So ten thousand claims are some hundred round trips. Loop-confined.
 *
 * <p>The transaction applies nothing unless era and guard are as the session knows them; otherwise the answer shows what
 * they are, and the steps are sent again, or the session is over.
 *
 * <p>Steps that only read travel apart from the others, since etcd writes a transaction inside another one to its log.
 */
final class TxnBatcher {
    /** A claim or a release on its way, in one step after the other. Loop-confined. */
    abstract static class EntryCall<T> {
        protected final EtcdSession session;
        protected final QueueEntry entry;
        protected final CompletableFuture<T> answer = new CompletableFuture<>();
        private final long call;

        /** @param newer does it overtake the calls before it in this election? */
        EntryCall(EtcdSession session, QueueEntry entry, boolean newer) {
            this.session = session;
            this.entry = entry;
            this.call = newer ? entry.order().nextCall() : entry.order().newestCall();
        }

        /** Is it still what the session wants? If not, or if a newer call has overtaken it, its next step is not sent. */
        boolean isWanted() {
            return session.isOpen() && entry.order().newestCall() == call;
        }

        void failed(BackendException why) {
            answer.completeExceptionally(why);
        }
    }

    /** What a step does to the store. */
    enum StepMode {
        /** It has no conditions, and {@link #READS} reads. */
        READS,
        WRITES,
        /** Nobody waits for it: it must not keep those that somebody waits for. */
        RECORDS,
        /** After it, no claim of the entry that was sent before can be applied any more: the guard is moved, unless it was. */
        SETTLES
    }

    /**
     * One thing to be done in the store, atomically.
     *
     * @param txn made when it is sent
     * @param valueBytes of what it writes
     * @param answer called with the guard that counts from when the step was applied
     */
    record EntryStep(
            EntryCall<?> call,
            StepMode mode,
            Function<SessionGuard, Txn> txn,
            int valueBytes,
            BiConsumer<Txn.Reply, SessionGuard> answer)
            implements Batcher.Item {
        /** About as much as a removal and its conditions take. */
        @Override
        public int bytes() {
            return 1024 + valueBytes;
        }

        @Override
        public Object subject() {
            return call.entry;
        }

        @Override
        public boolean isWanted() {
            return call.isWanted();
        }

        @Override
        public void failed(BackendException why) {
            call.failed(why);
        }

        boolean movesGuard(SessionGuard at) {
            return mode == StepMode.SETTLES
                    && call.entry.order().open().values().stream()
                            .anyMatch(sentUnder -> sentUnder >= at.guardRevision());
        }
    }

    /** In each step that only reads. */
    static final int READS = 4;

    /** A server accepts 128 operations by default, and each step that writes is one. */
    private static final Batcher.Limits WRITING = new Batcher.Limits(100, 256 * 1024, 4);

    /** They wait for the store's log to be applied, so many are under way at once. */
    private static final Batcher.Limits READING = new Batcher.Limits(128 / READS, 256 * 1024, 16);

    private static final Batcher.Limits RECORDING = new Batcher.Limits(100, 256 * 1024, 1);

    private final EtcdClient client;
    private final Keys keys;
    private final GrantedLease lease;
    private final Consumer<String> lost;
    private final Batcher<EntryStep> writing;
    private final Batcher<EntryStep> reading;
    private final Batcher<EntryStep> recording;
    private SessionGuard at;

    TxnBatcher(EtcdContext store, GrantedLease lease, SessionGuard at, Consumer<String> lost) {
        this.client = store.client();
        this.keys = store.keys();
        this.writing = new Batcher<>(store.host(), WRITING, steps -> dispatch(steps, false));
        this.reading = new Batcher<>(store.host(), READING, steps -> dispatch(steps, true));
        this.recording = new Batcher<>(store.host(), RECORDING, steps -> dispatch(steps, false));
        this.lease = lease;
        this.at = at;
        this.lost = lost;
    }

    StoreEra era() {
        return at.era();
    }

    void send(EntryStep step) {
        switch (step.mode()) {
            case READS -> reading.add(step);
            case RECORDS -> recording.add(step);
            default -> writing.add(step);
        }
    }

    private CompletableFuture<Boolean> dispatch(List<EntryStep> steps, boolean reads) {
        SessionGuard sentAt = at;
        boolean moves = steps.stream().anyMatch(step -> step.movesGuard(sentAt));
        String guard = keys.session(lease.id());
        Txn txn = new Txn()
                .ifModified(keys.era(), sentAt.eraRevision())
                .ifModified(guard, sentAt.guardRevision())
                .otherwise(Operation.get(keys.era()), Operation.get(guard));
        for (EntryStep step : steps) {
            Txn one = step.txn().apply(sentAt);
            txn.then(reads ? one.operations() : new Operation[] {one.inside()});
        }
        if (moves) {
            txn.then(Operation.put(guard, lease.text(), lease.id()));
        }
        return client.txn(txn, lease.callTimeout())
                .thenApply(reply -> {
                    if (!reply.succeeded()) {
                        refused(steps, reply);
                        return false;
                    }
                    SessionGuard now = moves ? sentAt.withGuard(reply.revision()) : sentAt;
                    at = at.withGuard(now.guardRevision());
                    for (int i = 0; i < steps.size(); i++) {
                        int index = i;
                        answer(steps.get(i), () -> reads ? reply.from(index * READS) : reply.txn(index), now);
                    }
                    return true;
                })
                .exceptionally(failure -> {
                    failed(steps, Stages.rootOf(failure));
                    return false;
                });
    }

    /** Nothing was applied: era or guard has moved, which is rare, so the steps can be sent again; or the session is over. */
    private void refused(List<EntryStep> steps, Txn.Reply reply) {
        Optional<KeyValue> era = reply.first(0);
        Optional<KeyValue> guard = reply.first(1);
        if (guard.isEmpty()) {
            over(steps, GrantedLease.ENDED);
        } else if (era.isEmpty() || !era.get().era().storeId().equals(at.era().storeId())) {
            over(steps, "the store was emptied or replaced since this session was opened");
        } else {
            at = new SessionGuard(
                    era.get().era(), era.get().modRevision(), guard.get().modRevision());
            steps.forEach(this::send);
        }
    }

    private void over(List<EntryStep> steps, String why) {
        failed(steps, BackendException.unreachable(why));
        lost.accept(why);
    }

    /** An answer that cannot be understood must not take the others with it. */
    private static void answer(EntryStep step, Supplier<Txn.Reply> reply, SessionGuard at) {
        try {
            step.answer().accept(reply.get(), at);
        } catch (BackendException refused) {
            step.failed(refused);
        } catch (RuntimeException garbled) {
            String why = "etcd's answer cannot be understood: " + garbled.getMessage();
            step.failed(new BackendException(Effect.UNKNOWN, Kind.CORRUPT, why, garbled));
        }
    }

    private static void failed(List<EntryStep> steps, Throwable failure) {
        BackendException why = EtcdError.of(failure);
        steps.forEach(step -> step.failed(why));
    }
}
