package dev.tenure.zookeeper.session;

import dev.tenure.spi.Host;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.EraRecord;
import dev.tenure.zookeeper.client.Paths;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import dev.tenure.zookeeper.client.ZooKeeperCalls.Znode;
import dev.tenure.zookeeper.client.ZooKeeperError;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;

/** The znode that holds the store's random id and its era. */
public final class EraNode {
    private static final int ROUNDS_MAX = 10;

    private final ZooKeeperCalls calls;
    private final Paths paths;
    private final Host host;

    public EraNode(ZooKeeperCalls calls, Paths paths, Host host) {
        this.calls = calls;
        this.paths = paths;
        this.host = host;
    }

    /** Reads it, after creating it if this is the first use of the store. */
    public CompletableFuture<StoreEra> open() {
        return read(ROUNDS_MAX).thenApply(this::era);
    }

    private CompletableFuture<Znode> read(int rounds) {
        CompletableFuture<Boolean> synced = calls.sync(paths.era());
        CompletableFuture<Znode> read = calls.get(paths.era());
        return ZooKeeperError.recover(
                synced.thenCompose(done -> read),
                Code.NONODE,
                () -> rounds > 1 ? create().thenCompose(made -> read(rounds - 1)) : read);
    }

    private CompletableFuture<Boolean> create() {
        return calls.ensure(paths.era(), EraRecord.text(EraRecord.fresh(host)));
    }

    private StoreEra era(Znode node) {
        return EraRecord.of("znode " + paths.era(), node.text());
    }

    public CompletableFuture<StoreEra> raise(int atLeast) {
        return EraRecord.raise(atLeast, () -> read(ROUNDS_MAX), this::era, this::replace);
    }

    private CompletableFuture<Boolean> replace(Znode known, StoreEra raised) {
        return ZooKeeperError.orElse(
                calls.set(paths.era(), EraRecord.text(raised), known.stat().getVersion())
                        .thenApply(stat -> true),
                Code.BADVERSION,
                false);
    }
}
