package dev.tenure.zookeeper.client;

import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;

/** Creates znodes together with those above them. */
public final class NodeCreator {
    private final ZooKeeperCalls calls;

    public NodeCreator(ZooKeeperCalls calls) {
        this.calls = calls;
    }

    /** Creates this persistent znode unless it is there; those above it too, where they are missing. */
    public CompletableFuture<Boolean> ensure(String path, String text) {
        return create(path, text)
                .exceptionallyCompose(failure -> ZooKeeperError.is(failure, Code.NONODE)
                        ? ensureAbove(path).thenCompose(done -> create(path, text))
                        : CompletableFuture.failedFuture(failure));
    }

    /** All are requested at once, in their order. */
    private CompletableFuture<Boolean> ensureAbove(String path) {
        CompletableFuture<Boolean> last = CompletableFuture.completedFuture(true);
        for (String parent : Paths.above(path)) {
            CompletableFuture<Boolean> made = create(parent, "");
            last = last.thenCompose(done -> made);
        }
        return last;
    }

    private CompletableFuture<Boolean> create(String path, String text) {
        return calls.create(path, text, CreateMode.PERSISTENT)
                .thenApply(made -> true)
                .exceptionallyCompose(failure -> ZooKeeperError.is(failure, Code.NODEEXISTS)
                        ? CompletableFuture.completedFuture(true)
                        : CompletableFuture.failedFuture(failure));
    }
}
