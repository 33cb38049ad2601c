package dev.tenure.zookeeper;

import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.support.Batcher;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.TermRecord;
import dev.tenure.zookeeper.wire.Code;
import dev.tenure.zookeeper.wire.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Latches are given up, and the ends of their terms written down in the same transaction; those that are given up together
 * go in one. Loop-confined.
 */
final class Exits {
    private static final int BYTES_PER_EXIT = 512;
    private static final int ANY_VERSION = -1;

    private final Calls calls;
    private final Batcher<Exit> batcher;
    private final Set<String> leaving = ConcurrentHashMap.newKeySet();

    Exits(Calls calls, Batches batches) {
        this.calls = calls;
        this.batcher = batches.of(this::send);
    }

    private record Exit(String election, String latch, Optional<TermRecord> ended, CompletableFuture<Boolean> reply)
            implements Batches.Call {
        @Override
        public int bytes() {
            return BYTES_PER_EXIT;
        }

        List<Op> writes() {
            Op gone = Op.delete(latch, ANY_VERSION);
            return ended.isPresent()
                    ? List.of(gone, Op.setData(election, Nodes.bytes(ended.get().text()), ANY_VERSION))
                    : List.of(gone);
        }
    }

    /**
     * False if the latch was gone already.
     *
     * @param ended what is to be written down of its term, if it led
     */
    CompletableFuture<Boolean> leave(String election, String latch, Optional<TermRecord> ended) {
        Exit exit = new Exit(election, latch, ended, new CompletableFuture<>());
        leaving.add(latch);
        batcher.add(exit);
        return exit.reply.whenComplete((done, failure) -> leaving.remove(latch));
    }

    /** Is it being given up right now? Who does that need not hear of it. From any thread. */
    boolean isLeaving(String latch) {
        return leaving.contains(latch);
    }

    private CompletableFuture<?> send(List<Exit> exits) {
        return exits.size() == 1 ? alone(exits.get(0)) : together(exits);
    }

    private CompletableFuture<?> together(List<Exit> exits) {
        List<Op> writes = new ArrayList<>();
        exits.forEach(exit -> writes.addAll(exit.writes()));
        return calls.writeTogether("the elections", writes).handle((done, failure) -> {
            if (failure == null) {
                exits.forEach(exit -> exit.reply.complete(true));
            } else if (Stages.effectOf(failure) == Effect.NONE) {
                exits.forEach(exit -> Stages.ignore(
                        "a call that nobody waits for",
                        alone(exit))); // one of them stood in the way, and nothing was done for the others
            } else {
                exits.forEach(exit -> exit.reply.completeExceptionally(failure));
            }
            return true;
        });
    }

    private CompletableFuture<?> alone(Exit exit) {
        return left(exit)
                .handle((was, failure) ->
                        failure == null ? exit.reply.complete(was) : exit.reply.completeExceptionally(failure));
    }

    /** Where only the latch may be removed, that; the record of the term decides nothing. */
    private CompletableFuture<Boolean> left(Exit exit) {
        if (exit.ended.isEmpty()) {
            return deleted(exit.latch);
        }
        return calls.writeTogether(exit.election, exit.writes())
                .thenApply(done -> true)
                .exceptionallyCompose(
                        failure -> StoreFailure.is(failure, Code.NOAUTH) ? deleted(exit.latch) : goneOrFailed(failure));
    }

    /** False if it was gone already. */
    CompletableFuture<Boolean> deleted(String latch) {
        return calls.delete(latch).exceptionallyCompose(Exits::goneOrFailed);
    }

    private static CompletableFuture<Boolean> goneOrFailed(Throwable failure) {
        return StoreFailure.is(failure, Code.NONODE)
                ? CompletableFuture.completedFuture(false)
                : CompletableFuture.failedFuture(failure);
    }
}
