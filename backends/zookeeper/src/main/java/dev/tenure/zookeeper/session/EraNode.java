package dev.tenure.zookeeper.session;

import dev.tenure.spi.Host;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.EraRecord;
import dev.tenure.zookeeper.client.NodeCreator;
import dev.tenure.zookeeper.client.Paths;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import dev.tenure.zookeeper.client.ZooKeeperCalls.Znode;
import dev.tenure.zookeeper.client.ZooKeeperError;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;

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

    /** @param version of the znode, by which a later call can prove that nothing has changed */
    public record Version(StoreEra era, int version) {}

    /** Reads it, after creating it if this is the first use of the store. */
    public CompletableFuture<Version> open() {
        return open(ROUNDS_MAX);
    }

    private CompletableFuture<Version> open(int rounds) {
        CompletableFuture<Boolean> synced = calls.sync(paths.era());
        CompletableFuture<Version> read = calls.get(paths.era()).thenApply(this::version);
        return synced.thenCompose(done -> read).exceptionallyCompose(failure -> {
            boolean absent = ZooKeeperError.is(failure, Code.NONODE);
            return absent && rounds > 1
                    ? create().thenCompose(made -> open(rounds - 1))
                    : CompletableFuture.failedFuture(failure);
        });
    }

    /** Reads it as the server shows it, and reports the next change. */
    CompletableFuture<Version> read(Watcher watcher) {
        return calls.get(paths.era(), watcher).thenApply(this::version);
    }

    private Version version(Znode node) {
        return new Version(
                EraRecord.of("znode " + paths.era(), node.text()), node.stat().getVersion());
    }

    private CompletableFuture<Boolean> create() {
        return new NodeCreator(calls).ensure(paths.era(), EraRecord.text(EraRecord.fresh(host)));
    }

    public CompletableFuture<StoreEra> raise(int atLeast) {
        return EraRecord.raise(atLeast, this::open, Version::era, this::replace);
    }

    private CompletableFuture<Boolean> replace(Version known, StoreEra raised) {
        return calls.set(paths.era(), EraRecord.text(raised), known.version)
                .thenApply(stat -> true)
                .exceptionallyCompose(failure -> ZooKeeperError.is(failure, Code.BADVERSION)
                        ? CompletableFuture.completedFuture(false)
                        : CompletableFuture.failedFuture(failure));
    }
}
