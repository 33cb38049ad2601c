package dev.tenure.zookeeper;

import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.Stages;
import dev.tenure.zookeeper.wire.Code;
import dev.tenure.zookeeper.wire.Event;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * What a session knows of the era. A change is notified before the answer to any call that was committed after it, so an
 * answer and the era known when it arrives belong together; only while a change is being read one has to wait.
 * Loop-confined.
 */
final class EraView {
    private final EraBook book;
    private final Consumer<Event> watcher;
    private final Consumer<String> lost;
    private EraBook.Page page;
    private Optional<CompletableFuture<StoreEra>> reading = Optional.empty();

    /** @param lost told if the store turns out to be another one */
    EraView(EraBook book, EraBook.Page page, Consumer<Event> watcher, Consumer<String> lost) {
        this.book = book;
        this.page = page;
        this.watcher = watcher;
        this.lost = lost;
    }

    StoreEra known() {
        return page.era();
    }

    int version() {
        return page.version();
    }

    /** Is {@link #known} what there is, with nothing to be read first? */
    boolean isFresh() {
        return reading.isEmpty();
    }

    CompletableFuture<StoreEra> fresh() {
        return reading.orElseGet(() -> CompletableFuture.completedFuture(page.era()));
    }

    /** It may have changed: read it again. A failure is the next caller's too, until a read succeeds. */
    CompletableFuture<StoreEra> changed() {
        CompletableFuture<StoreEra> read = book.read(watcher).thenApply(this::turn);
        reading = Optional.of(read);
        Stages.ignore("a call that nobody waits for", read.whenComplete((era, failure) -> {
            if (failure == null) {
                reading = reading.filter(newer -> newer != read);
            } else if (StoreFailure.is(failure, Code.NONODE)) {
                lost.accept("the store's own records have been removed: what stands there now is another store");
            }
        }));
        return read;
    }

    /** Reads again what could not be read. */
    CompletableFuture<StoreEra> freshOrRead() {
        boolean failed =
                reading.filter(CompletableFuture::isCompletedExceptionally).isPresent();
        return failed ? changed() : fresh();
    }

    private StoreEra turn(EraBook.Page now) {
        if (!now.era().storeId().equals(page.era().storeId())) {
            lost.accept("the store was replaced by another one");
        }
        page = now;
        return now.era();
    }
}
