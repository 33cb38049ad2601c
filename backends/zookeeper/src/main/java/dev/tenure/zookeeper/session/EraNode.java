package dev.tenure.zookeeper.session;

import dev.tenure.spi.Host;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.EraRecord;
import dev.tenure.spi.support.Stages;
import dev.tenure.zookeeper.client.Paths;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import dev.tenure.zookeeper.client.ZooKeeperCalls.Znode;
import dev.tenure.zookeeper.client.ZooKeeperError;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
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
        return ZooKeeperError.recover(
                synced.thenCompose(done -> read),
                Code.NONODE,
                () -> rounds > 1 ? create().thenCompose(made -> open(rounds - 1)) : read);
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
        return calls.ensure(paths.era(), EraRecord.text(EraRecord.fresh(host)));
    }

    public CompletableFuture<StoreEra> raise(int atLeast) {
        return EraRecord.raise(atLeast, this::open, Version::era, this::replace);
    }

    private CompletableFuture<Boolean> replace(Version known, StoreEra raised) {
        return ZooKeeperError.orElse(
                calls.set(paths.era(), EraRecord.text(raised), known.version).thenApply(stat -> true),
                Code.BADVERSION,
                false);
    }

    /**
     * What a session knows of the era. A change is notified before the answer to any call that was committed after it, so an
     * answer and the era known when it arrives belong together; a caller has to wait only while a change is being read.
     * Loop-confined.
     */
    static final class EraCache {
        static final String REMOVED =
                "the store's own records have been removed: what stands there now is another store";

        private final EraNode node;
        private final Watcher watcher;
        private final Consumer<String> lost;
        private EraNode.Version current;
        private Optional<CompletableFuture<StoreEra>> reading = Optional.empty();

        /**
         * @param watcher has to call {@link #read()}
         * @param lost called if the store turns out to be another one
         */
        EraCache(EraNode node, EraNode.Version current, Watcher watcher, Consumer<String> lost) {
            this.node = node;
            this.current = current;
            this.watcher = watcher;
            this.lost = lost;
        }

        StoreEra known() {
            return current.era();
        }

        int version() {
            return current.version();
        }

        /** What is known, or what is being read; a read that failed is repeated. */
        CompletableFuture<StoreEra> fresh() {
            boolean failed =
                    reading.filter(CompletableFuture::isCompletedExceptionally).isPresent();
            return failed ? read() : reading.orElseGet(() -> CompletableFuture.completedFuture(current.era()));
        }

        /** It may have changed. */
        CompletableFuture<StoreEra> read() {
            CompletableFuture<StoreEra> read = node.read(watcher).thenApply(this::replace);
            reading = Optional.of(read);
            Stages.ignore("the era", read.whenComplete((era, failure) -> {
                if (failure == null) {
                    reading = reading.filter(newer -> newer != read);
                } else if (ZooKeeperError.is(failure, Code.NONODE)) {
                    lost.accept(REMOVED);
                }
            }));
            return read;
        }

        private StoreEra replace(EraNode.Version now) {
            if (!now.era().storeId().equals(current.era().storeId())) {
                lost.accept("the store was replaced by another one");
            }
            current = now;
            return now.era();
        }
    }
}
