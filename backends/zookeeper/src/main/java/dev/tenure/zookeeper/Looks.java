package dev.tenure.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;

/**
 * Linearizable looks at elections and at the own latches in them: one round trip for all that are asked for together.
 * Loop-confined.
 */
final class Looks {
    private static final int BYTES_PER_LOOK = 512;
    private static final int BYTES_PER_NAME = 64;

    private final Calls calls;
    private final Settings settings;
    private final Convoy<Look> convoy;

    Looks(Calls calls, Settings settings, Convoy.Road road) {
        this.calls = calls;
        this.settings = settings;
        this.convoy = new Convoy<>(road, this::send);
    }

    private record Look(String election, String own, int crowd, CompletableFuture<Moment> reply)
            implements Convoy.Traveller {
        @Override
        public int bytes() {
            return BYTES_PER_LOOK + crowd * BYTES_PER_NAME;
        }
    }

    /**
     * The election now, with this latch if it is there.
     *
     * @param crowd how many stood there when last seen
     */
    CompletableFuture<Moment> at(String election, String own, int crowd) {
        Look look = new Look(election, own, crowd, new CompletableFuture<>());
        convoy.join(look);
        return look.reply;
    }

    private CompletableFuture<Boolean> send(List<Look> looks) {
        List<Op> reads = new ArrayList<>();
        looks.forEach(look -> reads.addAll(Moment.reads(look.election, look.own)));
        CompletableFuture<Boolean> synced = calls.sync(looks.get(0).election);
        CompletableFuture<List<OpResult>> read = calls.readTogether(looks.get(0).election, reads);
        return synced.thenCompose(done -> read).handle((results, failure) -> {
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
