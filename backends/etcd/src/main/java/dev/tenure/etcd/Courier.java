package dev.tenure.etcd;

import dev.tenure.etcd.grpc.Message;
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
final class Courier {
    /** One thing to be done in the store, atomically. */
    interface Step extends Batcher.Item {
        /** About as much as a removal and its conditions take. */
        @Override
        default int bytes() {
            return 1024;
        }

        Message operation(Standpoint at);

        void sent(Standpoint at);

        /**
         * @param reply of its own transaction
         * @param revision at which it was applied
         */
        void answered(TxnReply reply, Standpoint at, long revision);
    }

    /** A server accepts 128 operations by default, and each step brings operations of its own, up to six. */
    private static final Batcher.Limits LIMITS = new Batcher.Limits(100, 256 * 1024, 4);

    private static final int ROUNDS_MAX = 3;

    private final Gateway gateway;
    private final Keys keys;
    private final Lease lease;
    private final Consumer<String> lost;
    private final Batcher<Step> batcher;
    private Standpoint at;
    private int glances;
    private Optional<CompletableFuture<Standpoint>> moving = Optional.empty();

    Courier(Gateway gateway, Host host, Keys keys, Lease lease, Standpoint at, Consumer<String> lost) {
        this.gateway = gateway;
        this.batcher = new Batcher<>(host, LIMITS, this::carry);
        this.keys = keys;
        this.lease = lease;
        this.at = at;
        this.lost = lost;
    }

    StoreEra era() {
        return at.era();
    }

    void send(Step step) {
        batcher.add(step);
    }

    /** Nothing is waiting or under way. */
    boolean isIdle() {
        return batcher.isIdle() && glances == 0 && moving.isEmpty();
    }

    /**
     * Reads at once and alone, under the same conditions as everything else. That does not wait for the store's log, but it
     * is one more request. Empty if one of the conditions does not hold.
     */
    CompletableFuture<Optional<TxnReply>> glance(Txn txn) {
        txn.ifModified(keys.era(), at.eraRevision()).ifModified(keys.session(lease.id()), at.guardRevision());
        glances++;
        return gateway.txn(txn, lease.patience())
                .whenComplete((reply, failure) -> glances--)
                .thenApply(reply -> Optional.of(reply).filter(TxnReply::succeeded));
    }

    /** While the guard moves nothing is sent: it would be refused anyway. */
    private CompletableFuture<Boolean> carry(List<Step> steps) {
        return moving.isEmpty()
                ? dispatch(steps, 1)
                : moving.get().handle((now, failure) -> true).thenCompose(moved -> carry(steps));
    }

    private CompletableFuture<Boolean> dispatch(List<Step> steps, int round) {
        List<Step> wanted = wanted(steps, round);
        if (wanted.isEmpty()) {
            return CompletableFuture.completedFuture(true);
        }
        Standpoint sentAt = at;
        Txn txn = new Txn()
                .ifModified(keys.era(), sentAt.eraRevision())
                .ifModified(keys.session(lease.id()), sentAt.guardRevision())
                .then(wanted.stream().map(step -> step.operation(sentAt)).toList())
                .otherwise(Txn.get(keys.era()), Txn.get(keys.session(lease.id())));
        wanted.forEach(step -> step.sent(sentAt));
        return gateway.txn(txn, lease.patience())
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

    private static List<Step> wanted(List<Step> steps, int round) {
        List<Step> wanted = new ArrayList<>();
        for (Step step : steps) {
            if (round <= ROUNDS_MAX && step.isWanted()) {
                wanted.add(step);
            } else {
                step.failed(Batcher.overtaken());
            }
        }
        return wanted;
    }

    private static void answered(List<Step> steps, TxnReply reply, Standpoint sentAt) {
        long revision = reply.revision();
        for (int i = 0; i < steps.size(); i++) {
            answer(steps.get(i), reply, i, sentAt, revision);
        }
    }

    /** An answer that cannot be understood must not take the others with it. */
    private static void answer(Step step, TxnReply reply, int index, Standpoint sentAt, long revision) {
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

    private static void failed(List<Step> steps, Throwable failure) {
        BackendException why = failure instanceof BackendException known
                ? known
                : new BackendException(Effect.UNKNOWN, Kind.UNREACHABLE, String.valueOf(failure), failure);
        steps.forEach(step -> step.failed(why));
    }

    /** Nothing was applied: something that the session relies on has changed. Can the steps be sent again? */
    private boolean relearned(List<Step> steps, TxnReply reply) {
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
            return Optional.of(EtcdSession.LEASE_ENDED);
        }
        if (era.isEmpty() || !era.get().era().storeId().equals(at.era().storeId())) {
            return Optional.of("the store was emptied or replaced since this session was opened");
        }
        at = new Standpoint(
                era.get().era(), era.get().modRevision(), guard.get().modRevision());
        return Optional.empty();
    }

    /**
     * Makes sure that no claim which was sent under this guard, or an earlier one, can be applied any more. Fails if that is
     * not certain.
     */
    CompletableFuture<Standpoint> moveGuardBeyond(long guardRevision) {
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

    private CompletableFuture<Standpoint> moveGuard() {
        CompletableFuture<Standpoint> moved = new CompletableFuture<>();
        moving = Optional.of(moved);
        String guard = keys.session(lease.id());
        Txn txn = new Txn()
                .ifModified(guard, at.guardRevision())
                .then(Txn.put(guard, lease.text(), lease.id()))
                .otherwise(Txn.get(keys.era()), Txn.get(guard));
        Stages.follow(
                gateway.txn(txn, lease.patience()),
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
    private void settle(CompletableFuture<Standpoint> moved, TxnReply eraAndGuard) {
        try {
            Optional<String> over = learn(eraAndGuard);
            over.ifPresent(lost);
            moved.complete(over.isPresent() ? at.withGuard(Long.MAX_VALUE) : at);
        } catch (BackendException corrupt) {
            moved.completeExceptionally(corrupt);
        }
    }
}
