package dev.tenure.etcd;

import dev.tenure.etcd.grpc.Message;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreEra;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Carries the steps of one session to the store: those that are asked for in one turn of the loop, or while others are under
 * way, travel together in one transaction. So ten thousand claims are some hundred round trips. Loop-confined.
 *
 * <p>The transaction applies nothing unless era and guard are as the session knows them; otherwise the answer shows what
 * they are, and the steps are sent again, or the session is over.
 */
final class Courier {
    /** One thing to be done in the store, atomically. */
    interface Step {
        /** Is this still what the session wants? If not, it is not sent (any more). */
        boolean isWanted();

        /** What it may write to: two steps with one subject do not travel together, a store would refuse them all. */
        Object subject();

        Message operation(Standpoint at);

        void sent(Standpoint at);

        /**
         * @param reply of its own transaction
         * @param revision at which it was applied
         */
        void answered(TxnReply reply, Standpoint at, long revision);

        void failed(BackendException failure);
    }

    /** A server accepts 128 by default, and each step brings operations of its own, up to six. */
    private static final int STEPS_MAX = 100;

    private static final int BYTES_MAX = 256 * 1024;
    private static final int IN_FLIGHT_MAX = 4;
    private static final int ROUNDS_MAX = 3;

    private final Gateway gateway;
    private final Host host;
    private final Keys keys;
    private final Lease lease;
    private final Consumer<String> lost;
    private final Deque<Step> waiting = new ArrayDeque<>();
    private Standpoint at;
    private int inFlight;
    private int glances;
    private boolean flushing;
    private Optional<CompletableFuture<Standpoint>> moving = Optional.empty();

    Courier(Gateway gateway, Host host, Keys keys, Lease lease, Standpoint at, Consumer<String> lost) {
        this.gateway = gateway;
        this.host = host;
        this.keys = keys;
        this.lease = lease;
        this.at = at;
        this.lost = lost;
    }

    StoreEra era() {
        return at.era();
    }

    void send(Step step) {
        waiting.add(step);
        flushSoon();
    }

    /** Nothing is waiting or under way. */
    boolean isIdle() {
        return waiting.isEmpty() && inFlight + glances == 0 && moving.isEmpty();
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

    private void flushSoon() {
        if (!flushing) {
            flushing = true;
            host.post(() -> {
                flushing = false;
                flush();
            });
        }
    }

    /** While the guard moves nothing is sent: it would be refused anyway. */
    private void flush() {
        while (inFlight < IN_FLIGHT_MAX && moving.isEmpty() && !waiting.isEmpty()) {
            List<Step> steps = new ArrayList<>();
            List<Message> operations = new ArrayList<>();
            Set<Object> subjects = new HashSet<>();
            Deque<Step> next = new ArrayDeque<>();
            int bytes = 0;
            while (steps.size() < STEPS_MAX && bytes < BYTES_MAX && !waiting.isEmpty()) {
                Step step = waiting.remove();
                if (step.isWanted() && !subjects.add(step.subject())) {
                    next.addFirst(step);
                } else if (step.isWanted()) {
                    Message operation = step.operation(at);
                    bytes += operation.size();
                    steps.add(step);
                    operations.add(operation);
                } else {
                    step.failed(overtaken());
                }
            }
            next.forEach(waiting::addFirst);
            if (!steps.isEmpty()) {
                dispatch(steps, operations, 1);
            }
        }
    }

    private void dispatch(List<Step> steps, List<Message> operations, int round) {
        Standpoint sentAt = at;
        Txn txn = new Txn()
                .ifModified(keys.era(), sentAt.eraRevision())
                .ifModified(keys.session(lease.id()), sentAt.guardRevision())
                .then(operations)
                .otherwise(Txn.get(keys.era()), Txn.get(keys.session(lease.id())));
        inFlight++;
        steps.forEach(step -> step.sent(sentAt));
        Answers.follow(
                gateway.txn(txn, lease.patience()),
                reply -> {
                    inFlight--;
                    if (reply.succeeded()) {
                        answered(steps, reply, sentAt);
                    } else {
                        again(steps, reply, round);
                    }
                    flush();
                },
                failure -> {
                    inFlight--;
                    failed(steps, failure);
                    flush();
                });
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

    /** Nothing was applied: something that the session relies on has changed. */
    private void again(List<Step> steps, TxnReply reply, int round) {
        Optional<String> over;
        try {
            over = learn(reply);
        } catch (BackendException corrupt) {
            failed(steps, corrupt);
            return;
        }
        if (over.isPresent()) {
            failed(steps, new BackendException(Effect.NONE, Kind.UNREACHABLE, over.get()));
            lost.accept(over.get());
            return;
        }
        List<Step> wanted = new ArrayList<>();
        for (Step step : steps) {
            if (step.isWanted() && round < ROUNDS_MAX) {
                wanted.add(step);
            } else {
                step.failed(overtaken());
            }
        }
        if (!wanted.isEmpty()) {
            dispatch(wanted, wanted.stream().map(step -> step.operation(at)).toList(), round + 1);
        }
    }

    /** Returns why the session is over, if it is. */
    private Optional<String> learn(TxnReply eraAndGuard) {
        Optional<KeyValue> era = eraAndGuard.part(0).first();
        Optional<KeyValue> guard = eraAndGuard.part(1).first();
        if (guard.isEmpty()) {
            return Optional.of(EtcdSession.LEASE_ENDED);
        }
        if (era.isEmpty() || !EraRecord.of(era.get()).storeId().equals(at.era().storeId())) {
            return Optional.of("the store was emptied or replaced since this session was opened");
        }
        at = new Standpoint(
                EraRecord.of(era.get()), era.get().modRevision(), guard.get().modRevision());
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
            return CompletableFuture.failedFuture(overtaken());
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
        Answers.follow(
                gateway.txn(txn, lease.patience()),
                reply -> {
                    moving = Optional.empty();
                    if (reply.succeeded()) {
                        at = at.withGuard(reply.revision());
                        moved.complete(at);
                    } else {
                        settle(moved, reply);
                    }
                    flush();
                },
                failure -> {
                    moving = Optional.empty();
                    moved.completeExceptionally(failure);
                    flush();
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

    private static BackendException overtaken() {
        return new BackendException(
                Effect.NONE, Kind.UNREACHABLE, "this call was overtaken by a newer one, or by the end of its session");
    }
}
