package dev.tenure.zookeeper;

import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreEra;
import dev.tenure.zookeeper.wire.Code;
import dev.tenure.zookeeper.wire.CreateMode;
import dev.tenure.zookeeper.wire.Event;
import dev.tenure.zookeeper.wire.OpResult;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The store's random id and its era, in a znode of their own. */
final class EraBook {
    private static final String HEADING = "tenure era 1";
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
        return new Page(era(node.text()), node.stat().version());
    }

    private CompletableFuture<Boolean> create() {
        StoreEra fresh = new StoreEra(new Nonce(host.random(), host.random()).toString(), 0);
        return nodes.ensure(layout.era(), data(fresh), CreateMode.PERSISTENT);
    }

    CompletableFuture<StoreEra> raise(int atLeast) {
        if (atLeast < 0 || atLeast > FencingToken.ERA_MAX) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("era " + atLeast + " is outside 0.." + FencingToken.ERA_MAX));
        }
        return raise(atLeast, ROUNDS_MAX);
    }

    private CompletableFuture<StoreEra> raise(int atLeast, int rounds) {
        return open().thenCompose(page -> {
            if (page.era.era() >= atLeast) {
                return CompletableFuture.completedFuture(page.era);
            }
            StoreEra raised = new StoreEra(page.era.storeId(), atLeast);
            return calls.set(layout.era(), data(raised), page.version)
                    .thenApply(stat -> raised)
                    .exceptionallyCompose(failure -> {
                        boolean overtaken = StoreFailure.is(failure, Code.BADVERSION);
                        return overtaken && rounds > 1
                                ? raise(atLeast, rounds - 1)
                                : CompletableFuture.failedFuture(failure);
                    });
        });
    }

    private static byte[] data(StoreEra era) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("store", era.storeId());
        fields.put("era", Integer.toString(era.era()));
        return new RecordText(fields).encode(HEADING);
    }

    private StoreEra era(String text) {
        try {
            RecordText record = RecordText.decode(HEADING, text)
                    .orElseThrow(() -> new IllegalArgumentException("it does not begin with '" + HEADING + "'"));
            long era = record.number("era");
            if (era < 0 || era > FencingToken.ERA_MAX) {
                throw new IllegalArgumentException("era " + era + " is outside 0.." + FencingToken.ERA_MAX);
            }
            return new StoreEra(record.text("store"), (int) era);
        } catch (IllegalArgumentException damaged) {
            throw new BackendException(
                    Effect.NONE,
                    Kind.CORRUPT,
                    "znode " + layout.era() + " was not written by this version of Tenure: " + damaged.getMessage()
                            + ". Nothing was changed; look at it, or name another path in the store URL",
                    damaged);
        }
    }
}
