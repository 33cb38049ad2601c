// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.claim;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.Batcher;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.TermRecord;
import dev.tenure.zookeeper.client.Settings;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;

/**
 * What the candidacies of one session ask for together is sent together: reads in one request, writes in one transaction. A call that is
 * alone is sent at once. Loop-confined.
 *
 * <p>A read that nothing gave cause for is preceded by a sync with ZooKeeper's leader: otherwise it might show an old state. One
 * that follows the notification that a latch has gone needs no sync. The server that sent it has seen the latch go, and
 * shows a later state after that, which a quorum has agreed to. An election needs no more: a candidate that was the
 * first once stays so until its own latch goes, and how long it may believe that this has not happened is a matter of its
 * deadline, with a sync or without. The same holds behind the answer to a write on the same connection.
 */
public final class BatchedCalls {
    /** So many claims with the longest metadata, each byte of it written as three, stay below the megabyte that servers accept. */
    private static final Batcher.Limits LIMITS = new Batcher.Limits(32, Integer.MAX_VALUE, 4);

    /** Nobody waits for records: they must not keep what somebody waits for. */
    private static final Batcher.Limits RECORDING = new Batcher.Limits(64, Integer.MAX_VALUE, 1);

    private final Settings settings;
    private final BooleanSupplier over;
    private final Batcher<Call> syncedReads;
    private final Batcher<Call> reads;
    private final Batcher<Call> writes;
    private final Batcher<Call> records;

    /** @param over true once nothing may be sent any more */
    public BatchedCalls(ZooKeeperCalls calls, Settings settings, Host host, BooleanSupplier over) {
        this.settings = settings;
        this.over = over;
        this.syncedReads = batcher(
                host,
                LIMITS,
                ops -> calls.sync(settings.paths().elections()).thenCombine(calls.read(ops), (s, r) -> r));
        this.reads = batcher(host, LIMITS, calls::read);
        this.writes = batcher(host, LIMITS, calls::write);
        this.records = batcher(host, RECORDING, calls::write);
    }

    private static Batcher<Call> batcher(
            Host host, Batcher.Limits limits, Function<List<Op>, CompletableFuture<List<OpResult>>> request) {
        return new Batcher<>(host, limits, batch -> send(batch, request));
    }

    private record Call(List<Op> ops, BooleanSupplier wanted, CompletableFuture<List<OpResult>> reply)
            implements Batcher.Item {
        @Override
        public int bytes() {
            return 0; // there is no other limit than that of their number
        }

        @Override
        public boolean isWanted() {
            return wanted.getAsBoolean();
        }

        @Override
        public void failed(BackendException why) {
            reply.completeExceptionally(why);
        }
    }

    /** The election now, with this latch if it is there, by a linearizable read. */
    CompletableFuture<ElectionSnapshot> readSynced(String election, String own) {
        return snapshot(syncedReads, election, own);
    }

    /** The election at some moment after the last notification or answer on this connection. */
    CompletableFuture<ElectionSnapshot> readUnsynced(String election, String own) {
        return snapshot(reads, election, own);
    }

    private CompletableFuture<ElectionSnapshot> snapshot(Batcher<Call> batcher, String election, String own) {
        return add(batcher, ElectionSnapshot.reads(election, own, settings), () -> true)
                .thenApply(results -> ElectionSnapshot.of(results, election, settings));
    }

    /** As the server of this connection shows it. */
    CompletableFuture<OpResult> readUnsynced(Op read) {
        return add(reads, List.of(read), () -> true).thenApply(results -> results.get(0));
    }

    /** All or nothing. */
    CompletableFuture<List<OpResult>> write(List<Op> ops) {
        return add(writes, ops, () -> true);
    }

    /**
     * Records the term that this latch has begun; a grant does not wait for that. A term is recorded only if its latch still stands, so one
     * that has ended never overwrites the one after it.
     *
     * @param holds if this is false when it would be sent, the term is over: its release records that
     */
    public void record(String election, String latch, TermRecord term, BooleanSupplier holds) {
        List<Op> ops =
                List.of(Op.check(latch, ZooKeeperCalls.ANY_VERSION), ZooKeeperCalls.change(election, term.text()));
        Stages.ignore("the record of a term", add(records, ops, holds));
    }

    private CompletableFuture<List<OpResult>> add(Batcher<Call> batcher, List<Op> ops, BooleanSupplier wanted) {
        Call call = new Call(ops, () -> !over.getAsBoolean() && wanted.getAsBoolean(), new CompletableFuture<>());
        batcher.add(call);
        return call.reply;
    }

    private static CompletableFuture<Boolean> send(
            List<Call> batch, Function<List<Op>, CompletableFuture<List<OpResult>>> request) {
        List<Op> ops = new ArrayList<>();
        batch.forEach(call -> ops.addAll(call.ops));
        return request.apply(ops).handle((results, failure) -> {
            if (failure == null) {
                answer(batch, results);
            } else if (batch.size() > 1 && Stages.effectOf(failure) == Effect.NONE) {
                // One of them was refused, and nothing was done for the others.
                batch.forEach(call -> Stages.ignore("a call that is sent alone", send(List.of(call), request)));
            } else {
                batch.forEach(call -> call.reply.completeExceptionally(failure));
            }
            return true;
        });
    }

    private static void answer(List<Call> batch, List<OpResult> results) {
        int from = 0;
        for (Call call : batch) {
            int to = from + call.ops.size();
            call.reply.complete(results.subList(from, to));
            from = to;
        }
    }
}
