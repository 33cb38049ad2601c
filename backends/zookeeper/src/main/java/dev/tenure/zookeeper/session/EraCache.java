package dev.tenure.zookeeper.session;

import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.Stages;
import dev.tenure.zookeeper.client.ZooKeeperError;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;

/**
 * What a session knows of the era. A change is notified before the answer to any call that was committed after it, so an
 * answer and the era known when it arrives belong together; a caller has to wait only while a change is being read.
 * Loop-confined.
 */
final class EraCache {
    static final String REMOVED = "the store's own records have been removed: what stands there now is another store";

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
