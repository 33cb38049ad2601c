package dev.tenure.etcd.session;

import dev.tenure.etcd.client.EtcdClient;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.client.Operation;
import dev.tenure.etcd.client.Txn;
import dev.tenure.etcd.client.TxnReply;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.Batcher;
import dev.tenure.spi.support.Stages;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Carries the steps of one session to the store: those that are asked for while others are under way travel together
 * in one transaction. So ten thousand claims are some hundred round trips. Loop-confined.
 *
 * <p>The transaction applies nothing unless era and guard are as the session knows them; otherwise the answer shows what
 * they are, and the steps are sent again, or the session is over.
 */
public final class TxnBatcher {
    /**
     * What a session takes for granted, and every transaction of it checks: the era, and its own guard. A claim that was sent
     * before the guard has moved on can never be applied afterwards.
     *
     * @param eraRevision of the last change of the era's key
     * @param guardRevision of the last change of the session's key
     */
    public record SessionGuard(StoreEra era, long eraRevision, long guardRevision) {
        SessionGuard withGuard(long revision) {
            return new SessionGuard(era, eraRevision, Math.max(guardRevision, revision));
        }
    }

    /** One thing to be done in the store, atomically. */
    public interface BatchedOp extends Batcher.Item {
        /** About as much as a removal and its conditions take. */
        @Override
        default int bytes() {
            return 1024;
        }

        Operation operation(SessionGuard at);

        void sent(SessionGuard at);

        /**
         * @param reply of its own transaction
         * @param revision at which it was applied
         */
        void answered(TxnReply reply, SessionGuard at, long revision);
    }

    public static final String LEASE_ENDED = "etcd does not know its lease any more: it expired, or was revoked";

    /** A server accepts 128 operations by default, and each step brings operations of its own, up to six. */
    private static final Batcher.Limits LIMITS = new Batcher.Limits(100, 256 * 1024, 4);

    private static final int ROUNDS_MAX = 3;

    private final EtcdClient client;
    private final Keys keys;
    private final GrantedLease lease;
    private final Consumer<String> lost;
    private final Batcher<BatchedOp> batcher;
    private SessionGuard at;
    private int reading;
    private Optional<CompletableFuture<SessionGuard>> moving = Optional.empty();

    public TxnBatcher(
            EtcdClient client, Host host, Keys keys, GrantedLease lease, SessionGuard at, Consumer<String> lost) {
        this.client = client;
        this.batcher = new Batcher<>(host, LIMITS, this::carry);
        this.keys = keys;
        this.lease = lease;
        this.at = at;
        this.lost = lost;
    }

    public StoreEra era() {
        return at.era();
    }

    public void send(BatchedOp step) {
        batcher.add(step);
    }

    /** Nothing is waiting or under way. */
    public boolean isIdle() {
        return batcher.isIdle() && reading == 0 && moving.isEmpty();
    }

    /**
     * Reads at once and alone, under the same conditions as everything else. That does not wait for the store's log, but it
     * is one more request. Empty if one of the conditions does not hold.
     */
    public CompletableFuture<Optional<TxnReply>> readNow(Txn txn) {
        txn.ifModified(keys.era(), at.eraRevision()).ifModified(keys.session(lease.id()), at.guardRevision());
        reading++;
        return client.txn(txn, lease.callTimeout())
                .whenComplete((reply, failure) -> reading--)
                .thenApply(reply -> Optional.of(reply).filter(TxnReply::succeeded));
    }

    /** While the guard moves nothing is sent: it would be refused anyway. */
    private CompletableFuture<Boolean> carry(List<BatchedOp> steps) {
        return moving.isEmpty()
                ? dispatch(steps, 1)
                : moving.get().handle((now, failure) -> true).thenCompose(moved -> carry(steps));
    }

    private CompletableFuture<Boolean> dispatch(List<BatchedOp> steps, int round) {
        List<BatchedOp> wanted = wanted(steps, round);
        if (wanted.isEmpty()) {
            return CompletableFuture.completedFuture(true);
        }
        SessionGuard sentAt = at;
        Txn txn = new Txn()
                .ifModified(keys.era(), sentAt.eraRevision())
                .ifModified(keys.session(lease.id()), sentAt.guardRevision())
                .then(wanted.stream().map(step -> step.operation(sentAt)).toList())
                .otherwise(Operation.get(keys.era()), Operation.get(keys.session(lease.id())));
        wanted.forEach(step -> step.sent(sentAt));
        return client.txn(txn, lease.callTimeout())
                .thenCompose(reply -> {
                    if (reply.succeeded()) {
                        answered(wanted, reply, sentAt);
                    } else if (relearned(wanted, reply)) {
                        return dispatch(wanted, round + 1);
                    }
                    return CompletableFuture.completedFuture(true);
                })
                .exceptionally(failure -> {
                    failed(wanted, Stages.rootOf(failure));
                    return false;
                });
    }

    private static List<BatchedOp> wanted(List<BatchedOp> steps, int round) {
        List<BatchedOp> wanted = new ArrayList<>();
        for (BatchedOp step : steps) {
            if (round <= ROUNDS_MAX && step.isWanted()) {
                wanted.add(step);
            } else {
                step.failed(Batcher.overtaken());
            }
        }
        return wanted;
    }

    private static void answered(List<BatchedOp> steps, TxnReply reply, SessionGuard sentAt) {
        long revision = reply.revision();
        for (int i = 0; i < steps.size(); i++) {
            answer(steps.get(i), reply, i, sentAt, revision);
        }
    }

    /** An answer that cannot be understood must not take the others with it. */
    private static void answer(BatchedOp step, TxnReply reply, int index, SessionGuard sentAt, long revision) {
        try {
            step.answered(reply.part(index).txn(), sentAt, revision);
        } catch (RuntimeException garbled) {
            step.failed(new BackendException(
                    Effect.UNKNOWN,
                    Kind.CORRUPT,
                    "etcd's answer cannot be understood: " + garbled.getMessage(),
                    garbled));
        }
    }

    private static void failed(List<BatchedOp> steps, Throwable failure) {
        BackendException why = failure instanceof BackendException known
                ? known
                : new BackendException(Effect.UNKNOWN, Kind.UNREACHABLE, String.valueOf(failure), failure);
        steps.forEach(step -> step.failed(why));
    }

    /** Nothing was applied: something that the session relies on has changed. Can the steps be sent again? */
    private boolean relearned(List<BatchedOp> steps, TxnReply reply) {
        Optional<String> over;
        try {
            over = learn(reply);
        } catch (BackendException corrupt) {
            failed(steps, corrupt);
            return false;
        }
        over.ifPresent(why -> {
            failed(steps, new BackendException(Effect.NONE, Kind.UNREACHABLE, why));
            lost.accept(why);
        });
        return over.isEmpty();
    }

    /** Returns why the session is over, if it is. */
    private Optional<String> learn(TxnReply eraAndGuard) {
        Optional<KeyValue> era = eraAndGuard.part(0).first();
        Optional<KeyValue> guard = eraAndGuard.part(1).first();
        if (guard.isEmpty()) {
            return Optional.of(LEASE_ENDED);
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
    public CompletableFuture<SessionGuard> moveGuardBeyond(long guardRevision) {
        if (at.guardRevision() > guardRevision) {
            return CompletableFuture.completedFuture(at);
        }
        return moving.orElseGet(this::moveGuard).thenCompose(now -> {
            if (now.guardRevision() > guardRevision) {
                return CompletableFuture.completedFuture(now);
            }
            return CompletableFuture.failedFuture(Batcher.overtaken());
        });
    }

    private CompletableFuture<SessionGuard> moveGuard() {
        CompletableFuture<SessionGuard> moved = new CompletableFuture<>();
        moving = Optional.of(moved);
        String guard = keys.session(lease.id());
        Txn txn = new Txn()
                .ifModified(guard, at.guardRevision())
                .then(Operation.put(guard, lease.text(), lease.id()))
                .otherwise(Operation.get(keys.era()), Operation.get(guard));
        Stages.follow(
                client.txn(txn, lease.callTimeout()),
                reply -> {
                    moving = Optional.empty();
                    if (reply.succeeded()) {
                        at = at.withGuard(reply.revision());
                        moved.complete(at);
                    } else {
                        settle(moved, reply);
                    }
                },
                failure -> {
                    moving = Optional.empty();
                    moved.completeExceptionally(failure);
                });
        return moved;
    }

    /** Moved already, by an earlier call whose answer was lost; or gone, and then nothing can be applied either. */
    private void settle(CompletableFuture<SessionGuard> moved, TxnReply eraAndGuard) {
        try {
            Optional<String> over = learn(eraAndGuard);
            over.ifPresent(lost);
            moved.complete(over.isPresent() ? at.withGuard(Long.MAX_VALUE) : at);
        } catch (BackendException corrupt) {
            moved.completeExceptionally(corrupt);
        }
    }
}
