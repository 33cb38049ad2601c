package dev.tenure.zookeeper;

import dev.tenure.spi.Host;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.EraRecord;
import dev.tenure.zookeeper.wire.Code;
import dev.tenure.zookeeper.wire.CreateMode;
import dev.tenure.zookeeper.wire.Event;
import dev.tenure.zookeeper.wire.OpResult;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The store's random id and its era, in a znode of their own. */
final class EraBook {
    private static final int ROUNDS_MAX = 10;

    private final Calls calls;
    private final Layout layout;
    private final Host host;
    private final Nodes nodes;

    EraBook(Calls calls, Layout layout, Host host) {
        this.calls = calls;
        this.layout = layout;
        this.host = host;
        this.nodes = new Nodes(calls);
    }

    /** @param version of the znode, by which a later call can prove that nothing has changed */
    record Page(StoreEra era, int version) {}

    /** Reads it, after making it if this is the first use of the store. */
    CompletableFuture<Page> open() {
        return open(ROUNDS_MAX);
    }

    private CompletableFuture<Page> open(int rounds) {
        CompletableFuture<Boolean> synced = calls.sync(layout.era());
        CompletableFuture<Page> read = calls.get(layout.era()).thenApply(this::page);
        return synced.thenCompose(done -> read).exceptionallyCompose(failure -> {
            boolean absent = StoreFailure.is(failure, Code.NONODE);
            return absent && rounds > 1
                    ? create().thenCompose(made -> open(rounds - 1))
                    : CompletableFuture.failedFuture(failure);
        });
    }

    /** Reads it as the server shows it, and hears of the next change. */
    CompletableFuture<Page> read(Consumer<Event> watcher) {
        return calls.get(layout.era(), watcher).thenApply(this::page);
    }

    private Page page(OpResult.Data node) {
        return new Page(
                EraRecord.of("znode " + layout.era(), node.text()), node.stat().version());
    }

    private CompletableFuture<Boolean> create() {
        return nodes.ensure(layout.era(), data(EraRecord.fresh(host)), CreateMode.PERSISTENT);
    }

    CompletableFuture<StoreEra> raise(int atLeast) {
        return EraRecord.raise(atLeast, this::open, Page::era, this::replace);
    }

    private CompletableFuture<Boolean> replace(Page page, StoreEra raised) {
        return calls.set(layout.era(), data(raised), page.version)
                .thenApply(stat -> true)
                .exceptionallyCompose(failure -> StoreFailure.is(failure, Code.BADVERSION)
                        ? CompletableFuture.completedFuture(false)
                        : CompletableFuture.failedFuture(failure));
    }

    private static byte[] data(StoreEra era) {
        return Nodes.bytes(EraRecord.text(era));
    }
}
