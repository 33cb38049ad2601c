package dev.tenure.etcd.claim;

import dev.tenure.etcd.client.EtcdClient;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.client.Operation;
import dev.tenure.etcd.client.Txn;
import dev.tenure.etcd.client.TxnReply;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.Batcher;
import dev.tenure.spi.support.Stages;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Carries the steps of one session to the store: those that are asked for while others are under way travel together
 * in one transaction. So ten thousand claims are some hundred round trips. Loop-confined.
 *
 * <p>The transaction applies nothing unless era and guard are as the session knows them; otherwise the answer shows what
 * they are, and the steps are sent again, or the session is over.
 */
final class TxnBatcher {
    /** One thing to be done in the store, atomically. */
    interface BatchedOp extends Batcher.Item {
        /** About as much as a removal and its conditions take. */
        @Override
        default int bytes() {
            return 1024;
        }

        /** It is sent now. */
        Txn txn(SessionGuard at);

        /** If it has no conditions and only reads, it does not have to wait for the store's log when it travels alone. */
        default boolean onlyReads() {
            return false;
        }

        /**
         * @param reply of its own transaction
         * @param revision at which it was applied
         */
        void answered(TxnReply reply, SessionGuard at, long revision);
    }

    /** A server accepts 128 operations by default, and each step brings operations of its own, up to six. */
    private static final Batcher.Limits LIMITS = new Batcher.Limits(100, 256 * 1024, 4);

    private final EtcdClient client;
    private final Keys keys;
    private final GrantedLease lease;
    private final Consumer<String> lost;
    private final Batcher<BatchedOp> batcher;
    private SessionGuard at;
    private Optional<CompletableFuture<SessionGuard>> moving = Optional.empty();

    TxnBatcher(EtcdContext store, GrantedLease lease, SessionGuard at, Consumer<String> lost) {
        this.client = store.client();
        this.keys = store.keys();
        this.batcher = new Batcher<>(store.host(), LIMITS, this::dispatch);
        this.lease = lease;
        this.at = at;
        this.lost = lost;
    }

    StoreEra era() {
        return at.era();
    }

    void send(BatchedOp step) {
        batcher.add(step);
    }

    /** Nothing is waiting or under way. */
    boolean isIdle() {
        return batcher.isIdle() && moving.isEmpty();
    }

    private CompletableFuture<Boolean> dispatch(List<BatchedOp> steps) {
        // Inside another transaction even a read is written to the log.
        boolean alone = steps.size() == 1 && steps.get(0).onlyReads();
        SessionGuard sentAt = at;
        Txn txn = alone
                ? steps.get(0).txn(sentAt)
                : new Txn()
                        .then(steps.stream()
                                .map(step -> step.txn(sentAt).inside())
                                .toList());
        txn.ifModified(keys.era(), sentAt.eraRevision())
                .ifModified(keys.session(lease.id()), sentAt.guardRevision())
                .otherwise(Operation.get(keys.era()), Operation.get(keys.session(lease.id())));
        return client.txn(txn, lease.callTimeout())
                .thenApply(reply -> {
                    if (!reply.succeeded()) {
                        refused(steps, reply);
                        return false;
                    }
                    for (int i = 0; i < steps.size(); i++) {
                        int index = i;
                        answer(steps.get(i), () -> alone ? reply : reply.txn(index), sentAt, reply.revision());
                    }
                    return true;
                })
                .exceptionally(failure -> {
                    failed(steps, Stages.rootOf(failure));
                    return false;
                });
    }

    /** Nothing was applied: era or guard has moved, which is rare, so the steps can be sent again; or the session is over. */
    private void refused(List<BatchedOp> steps, TxnReply reply) {
        Optional<String> over = learn(reply);
        if (over.isEmpty()) {
            steps.forEach(this::send);
        } else {
            failed(steps, new BackendException(Effect.NONE, Kind.UNREACHABLE, over.get()));
            lost.accept(over.get());
        }
    }

    /** An answer that cannot be understood must not take the others with it. */
    private static void answer(BatchedOp step, Supplier<TxnReply> reply, SessionGuard sentAt, long revision) {
        try {
            step.answered(reply.get(), sentAt, revision);
        } catch (BackendException refused) {
            step.failed(refused);
        } catch (RuntimeException garbled) {
            String why = "etcd's answer cannot be understood: " + garbled.getMessage();
            step.failed(new BackendException(Effect.UNKNOWN, Kind.CORRUPT, why, garbled));
        }
    }

    private static void failed(List<BatchedOp> steps, Throwable failure) {
        BackendException why = failure instanceof BackendException known
                ? known
                : new BackendException(Effect.UNKNOWN, Kind.UNREACHABLE, String.valueOf(failure), failure);
        steps.forEach(step -> step.failed(why));
    }

    /** Returns why the session is over, if it is. */
    private Optional<String> learn(TxnReply reply) {
        Optional<KeyValue> era = reply.first(0);
        Optional<KeyValue> guard = reply.first(1);
        if (guard.isEmpty()) {
            return Optional.of(GrantedLease.ENDED);
        }
        if (era.isEmpty() || !era.get().era().storeId().equals(at.era().storeId())) {
            return Optional.of("the store was emptied or replaced since this session was opened");
        }
        at = new SessionGuard(
                era.get().era(), era.get().modRevision(), guard.get().modRevision());
        return Optional.empty();
    }

    /**
     * Makes sure that no claim which was sent under this guard, or an earlier one, can be applied any more. Fails if that is
     * not certain.
     */
    CompletableFuture<SessionGuard> moveGuardBeyond(long guardRevision) {
        if (at.guardRevision() > guardRevision) {
            return CompletableFuture.completedFuture(at);
        }
        return moving.orElseGet(this::moveGuard)
                .thenCompose(now -> now.guardRevision() > guardRevision
                        ? CompletableFuture.completedFuture(now)
                        : CompletableFuture.failedFuture(Batcher.overtaken()));
    }

    private CompletableFuture<SessionGuard> moveGuard() {
        String guard = keys.session(lease.id());
        Txn txn = new Txn()
                .ifModified(guard, at.guardRevision())
                .then(Operation.put(guard, lease.text(), lease.id()))
                .otherwise(Operation.get(keys.era()), Operation.get(guard));
        CompletableFuture<SessionGuard> moved =
                client.txn(txn, lease.callTimeout()).thenApply(this::moved);
        moving = Optional.of(moved);
        return moved.whenComplete((now, failure) -> moving = Optional.empty());
    }

    /** If not by this call, then by an earlier one whose answer was lost; or it is gone, and then nothing can be applied either. */
    private SessionGuard moved(TxnReply reply) {
        if (reply.succeeded()) {
            at = at.withGuard(reply.revision());
            return at;
        }
        Optional<String> over = learn(reply);
        over.ifPresent(lost);
        return over.isPresent() ? at.withGuard(Long.MAX_VALUE) : at;
    }
}
