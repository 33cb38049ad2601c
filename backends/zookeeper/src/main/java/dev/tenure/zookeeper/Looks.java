package dev.tenure.zookeeper;

import dev.tenure.spi.support.Batcher;
import dev.tenure.zookeeper.wire.Code;
import dev.tenure.zookeeper.wire.Op;
import dev.tenure.zookeeper.wire.OpResult;
import dev.tenure.zookeeper.wire.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Looks at elections and at the own latches in them: one round trip for all that are asked for together. Loop-confined, but
 * for what is said to run anywhere.
 *
 * <p>A look that nothing gave cause for asks ZooKeeper's leader first, by a sync: otherwise it might show what was long ago. One
 * that follows the notification that a latch has gone needs no sync. The server that told it has seen the latch go, and
 * whatever it shows after that is a later state, which a quorum has agreed to. That is all an election needs: who was the
 * first once stays so until its own latch goes, and how long it may believe that this has not happened is a matter of its
 * deadline, with a sync or without.
 */
final class Looks {
    private static final int BYTES_PER_LOOK = 512;
    private static final int BYTES_PER_NAME = 64;

    private final Calls calls;
    private final Settings settings;
    private final Batcher<Look> fresh;
    private final Batcher<Look> behindNotifications;
    /** How many were asked for and are not answered yet. */
    private final AtomicInteger asked = new AtomicInteger();

    Looks(Calls calls, Settings settings, Batches batches) {
        this.calls = calls;
        this.settings = settings;
        this.fresh = batches.of(looks -> send(looks, calls::readSynced));
        this.behindNotifications = batches.of(looks -> send(looks, calls::readTogether));
    }

    private record Look(String election, String own, int crowd, CompletableFuture<Moment> reply)
            implements Batches.Call {
        @Override
        public int bytes() {
            return BYTES_PER_LOOK + crowd * BYTES_PER_NAME;
        }
    }

    /** How the reads of some looks come to the servers. */
    private interface Reading {
        CompletableFuture<List<OpResult>> of(String path, List<Op> reads);
    }

    /**
     * The election now, with this latch if it is there, by a linearizable read.
     *
     * @param crowd how many stood there when last seen
     */
    CompletableFuture<Moment> now(String election, String own, int crowd) {
        return join(fresh, new Look(election, own, crowd, new CompletableFuture<>()));
    }

    /** The election at some moment after what this connection was notified of. */
    CompletableFuture<Moment> behindNotification(String election, String own, int crowd) {
        return join(behindNotifications, new Look(election, own, crowd, new CompletableFuture<>()));
    }

    private CompletableFuture<Moment> join(Batcher<Look> batcher, Look look) {
        asked.incrementAndGet();
        batcher.add(look);
        return look.reply;
    }

    /** Who looks ahead. Told on the thread that hears the answer. */
    interface Onlooker {
        void saw(Moment moment);

        void failed(RuntimeException why);
    }

    /**
     * The same, sent at once and from any thread, if nothing else is being looked at; otherwise nothing is done and false is
     * returned, for it is better to travel with the others.
     */
    boolean ahead(String election, String own, Onlooker onlooker) {
        if (!asked.compareAndSet(0, 1)) {
            return false;
        }
        calls.readTogether(Moment.reads(election, own), new Ahead(election, onlooker));
        return true;
    }

    /** Somebody waits for nothing but this: no stage between the answer and the onlooker. */
    private final class Ahead implements Reply<List<OpResult>> {
        private final String election;
        private final Onlooker onlooker;

        Ahead(String election, Onlooker onlooker) {
            this.election = election;
            this.onlooker = onlooker;
        }

        @Override
        public void answered(List<OpResult> results) {
            asked.decrementAndGet();
            Moment moment;
            try {
                moment = Moment.of(results, election, settings);
            } catch (RuntimeException refused) {
                onlooker.failed(refused);
                return;
            }
            onlooker.saw(moment);
        }

        @Override
        public void refused(Code code) {
            asked.decrementAndGet();
            onlooker.failed(calls.failure(code, election));
        }
    }

    boolean areUnderWay() {
        return asked.get() > 0;
    }

    private CompletableFuture<Boolean> send(List<Look> looks, Reading reading) {
        List<Op> reads = new ArrayList<>();
        looks.forEach(look -> reads.addAll(Moment.reads(look.election, look.own)));
        return reading.of(looks.get(0).election, reads).handle((results, failure) -> {
            asked.addAndGet(-looks.size());
            for (int i = 0; i < looks.size(); i++) {
                if (failure == null) {
                    int from = i * Moment.READS;
                    answer(looks.get(i), results.subList(from, from + Moment.READS));
                } else {
                    looks.get(i).reply.completeExceptionally(failure);
                }
            }
            return true;
        });
    }

    private void answer(Look look, List<OpResult> results) {
        Moment moment;
        try {
            moment = Moment.of(results, look.election, settings);
        } catch (RuntimeException refused) {
            look.reply.completeExceptionally(refused);
            return;
        }
        look.reply.complete(moment);
    }
}
