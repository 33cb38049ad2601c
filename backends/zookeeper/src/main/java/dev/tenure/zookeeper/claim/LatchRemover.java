package dev.tenure.zookeeper.claim;

import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.support.Batcher;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.TermRecord;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import dev.tenure.zookeeper.client.ZooKeeperError;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;

/**
 * Removes latches, and records the ends of their terms in the same transaction; those that are removed together share one.
 * Loop-confined.
 */
final class LatchRemover {
    private static final int BYTES_PER_REMOVAL = 512;

    private final ZooKeeperCalls calls;
    private final Batcher<Removal> batcher;

    LatchRemover(SessionContext context) {
        this.calls = context.calls();
        this.batcher = context.batcher(this::send);
    }

    private record Removal(String election, String latch, Optional<TermRecord> ended, CompletableFuture<Boolean> reply)
            implements SessionContext.BatchedCall {
        @Override
        public int bytes() {
            return BYTES_PER_REMOVAL;
        }

        List<Op> writes() {
            Op delete = Op.delete(latch, ZooKeeperCalls.ANY_VERSION);
            return ended.map(term -> List.of(delete, ZooKeeperCalls.change(election, term.text())))
                    .orElseGet(() -> List.of(delete));
        }
    }

    /**
     * False if the latch was gone already.
     *
     * @param ended the term to be recorded, if the latch led
     */
    CompletableFuture<Boolean> remove(String election, String latch, Optional<TermRecord> ended) {
        Removal removal = new Removal(election, latch, ended, new CompletableFuture<>());
        batcher.add(removal);
        return removal.reply;
    }

    private CompletableFuture<?> send(List<Removal> removals) {
        List<Op> writes = new ArrayList<>();
        removals.forEach(removal -> writes.addAll(removal.writes()));
        return calls.write("the elections", writes).handle((done, failure) -> {
            if (failure == null) {
                removals.forEach(removal -> removal.reply.complete(true));
            } else if (Stages.effectOf(failure) != Effect.NONE) {
                removals.forEach(removal -> removal.reply.completeExceptionally(failure));
            } else if (removals.size() > 1) {
                // One of them was refused, and nothing was done for the others.
                removals.forEach(removal -> Stages.ignore("the removal of a latch", send(List.of(removal))));
            } else {
                // Where the user may only remove the latch, that is done: the record of the term decides nothing.
                Removal refused = removals.get(0);
                Stages.follow(
                        ZooKeeperError.is(failure, Code.NOAUTH)
                                ? delete(refused.latch)
                                : ZooKeeperError.orElse(CompletableFuture.failedFuture(failure), Code.NONODE, false),
                        refused.reply::complete,
                        refused.reply::completeExceptionally);
            }
            return true;
        });
    }

    /** False if it was gone already. */
    CompletableFuture<Boolean> delete(String latch) {
        return ZooKeeperError.orElse(calls.delete(latch, ZooKeeperCalls.ANY_VERSION), Code.NONODE, false);
    }
}
