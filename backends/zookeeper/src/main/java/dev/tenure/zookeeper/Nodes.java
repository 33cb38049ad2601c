package dev.tenure.zookeeper;

import dev.tenure.zookeeper.wire.Code;
import dev.tenure.zookeeper.wire.CreateMode;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/** Makes znodes together with those above them. */
final class Nodes {
    private static final byte[] NOTHING = {};

    private final Calls calls;

    Nodes(Calls calls) {
        this.calls = calls;
    }

    /** Makes this znode unless it is there; those above it too, where they are missing. */
    CompletableFuture<Boolean> ensure(String path, byte[] data, CreateMode mode) {
        return create(path, data, mode)
                .exceptionallyCompose(failure -> StoreFailure.is(failure, Code.NONODE)
                        ? ensureAbove(path).thenCompose(done -> create(path, data, mode))
                        : CompletableFuture.failedFuture(failure));
    }

    /** All of them travel together, in their order. */
    private CompletableFuture<Boolean> ensureAbove(String path) {
        CompletableFuture<Boolean> last = CompletableFuture.completedFuture(true);
        for (String parent : Layout.above(path)) {
            CompletableFuture<Boolean> made = create(parent, NOTHING, CreateMode.PERSISTENT);
            last = last.thenCompose(done -> made);
        }
        return last;
    }

    private CompletableFuture<Boolean> create(String path, byte[] data, CreateMode mode) {
        return calls.create(path, data, mode)
                .thenApply(made -> true)
                .exceptionallyCompose(failure -> StoreFailure.is(failure, Code.NODEEXISTS)
                        ? CompletableFuture.completedFuture(true)
                        : CompletableFuture.failedFuture(failure));
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
