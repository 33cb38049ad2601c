package dev.tenure.zookeeper.claim;

import dev.tenure.spi.support.Batcher;
import dev.tenure.zookeeper.client.Settings;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;

/**
 * Reads elections together with the own latches in them: one round trip for all that are asked for together. Loop-confined.
 *
 * <p>A read that nothing gave cause for is preceded by a sync with ZooKeeper's leader: otherwise it might show an old state. One
 * that follows the notification that a latch has gone needs no sync. The server that sent it has seen the latch go, and
 * shows a later state after that, which a quorum has agreed to. An election needs no more: a candidate that was the
 * first once stays so until its own latch goes, and how long it may believe that this has not happened is a matter of its
 * deadline, with a sync or without.
 */
final class SnapshotReader {
    private static final int TTLS_PER_LOOK = 2;
    private static final int BYTES_PER_READ = 512;
    private static final int BYTES_PER_NAME = 64;

    private final SessionContext context;
    private final Settings settings;
    private final Batcher<Read> synced;
    private final Batcher<Read> behindNotifications;
    private long lookedNanos;

    SnapshotReader(SessionContext context) {
        ZooKeeperCalls calls = context.calls();
        this.context = context;
        this.lookedNanos = context.host().nanos();
        this.settings = context.settings();
        this.synced = context.batcher(reads -> send(reads, calls::syncAndRead));
        this.behindNotifications = context.batcher(reads -> send(reads, calls::read));
    }

    private record Read(String election, String own, int participants, CompletableFuture<ElectionSnapshot> reply)
            implements SessionContext.BatchedCall {
        @Override
        public int bytes() {
            return BYTES_PER_READ + participants * BYTES_PER_NAME;
        }
    }

    private interface Call {
        CompletableFuture<List<OpResult>> read(String path, List<Op> reads);
    }

    /**
     * The election now, with this latch if it is there, by a linearizable read.
     *
     * @param participants how many there were when last read
     */
    CompletableFuture<ElectionSnapshot> readSynced(String election, String own, int participants) {
        return add(synced, election, own, participants);
    }

    /** The election at some moment after the last notification on this connection. */
    CompletableFuture<ElectionSnapshot> readBehindNotification(String election, String own, int participants) {
        return add(behindNotifications, election, own, participants);
    }

    private static CompletableFuture<ElectionSnapshot> add(
            Batcher<Read> batcher, String election, String own, int participants) {
        Read read = new Read(election, own, participants, new CompletableFuture<>());
        batcher.add(read);
        return read.reply;
    }

    /** May somebody read now without cause? One claim of the session, every other TTL. */
    boolean mayLook() {
        long now = context.host().nanos();
        boolean due =
                now - lookedNanos > TTLS_PER_LOOK * context.granted().ttl().toNanos();
        if (due) {
            lookedNanos = now;
        }
        return due;
    }

    boolean isIdle() {
        return synced.isIdle() && behindNotifications.isIdle();
    }

    private CompletableFuture<Boolean> send(List<Read> reads, Call call) {
        List<Op> ops = new ArrayList<>();
        reads.forEach(read -> ops.addAll(ElectionSnapshot.reads(read.election, read.own)));
        return call.read(reads.get(0).election, ops).handle((results, failure) -> {
            for (int i = 0; i < reads.size(); i++) {
                if (failure == null) {
                    int from = i * ElectionSnapshot.READS;
                    answer(reads.get(i), results.subList(from, from + ElectionSnapshot.READS));
                } else {
                    reads.get(i).reply.completeExceptionally(failure);
                }
            }
            return true;
        });
    }

    private void answer(Read read, List<OpResult> results) {
        ElectionSnapshot snapshot;
        try {
            snapshot = ElectionSnapshot.of(results, read.election, settings);
        } catch (RuntimeException refused) {
            read.reply.completeExceptionally(refused);
            return;
        }
        read.reply.complete(snapshot);
    }
}
