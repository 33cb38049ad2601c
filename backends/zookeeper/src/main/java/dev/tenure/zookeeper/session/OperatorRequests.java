package dev.tenure.zookeeper.session;

import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.support.RequestRecord;
import dev.tenure.spi.support.Stages;
import dev.tenure.zookeeper.client.Paths;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import dev.tenure.zookeeper.client.ZooKeeperError;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;

/** Operators' requests, one znode for each election that has one. Loop-confined. */
public final class OperatorRequests {
    private static final Logger LOG = System.getLogger("dev.tenure");
    private static final int ROUNDS_MAX = 5;

    private final ZooKeeperCalls calls;
    private final Paths paths;

    public OperatorRequests(ZooKeeperCalls calls, Paths paths) {
        this.calls = calls;
        this.paths = paths;
    }

    /** Replaces the request that is there. */
    public CompletableFuture<Boolean> write(OperatorRequest request) {
        return write(request, ROUNDS_MAX);
    }

    private CompletableFuture<Boolean> write(OperatorRequest request, int rounds) {
        String path = paths.request(request.election());
        String text = RequestRecord.text(request);
        CompletableFuture<Boolean> replaced =
                calls.set(path, text, ZooKeeperCalls.ANY_VERSION).thenApply(stat -> true);
        return ZooKeeperError.recover(
                replaced,
                Code.NONODE,
                () -> rounds > 1 ? calls.ensure(path, text).thenCompose(made -> write(request, rounds - 1)) : replaced);
    }

    /** Removes exactly this request; a later one for the same election stays. */
    CompletableFuture<Boolean> clear(OperatorRequest request) {
        String path = paths.request(request.election());
        CompletableFuture<Boolean> deleted = calls.sync(path)
                .thenCompose(synced -> calls.get(path))
                .thenCompose(node ->
                        RequestRecord.find(node.text()).filter(request::equals).isPresent()
                                ? calls.delete(path, node.stat().getVersion())
                                : CompletableFuture.completedFuture(false));
        return ZooKeeperError.orElse(ZooKeeperError.orElse(deleted, Code.NONODE, false), Code.BADVERSION, false);
    }

    CompletableFuture<Boolean> watch(Watcher watcher) {
        return calls.watchRecursively(paths.requests(), watcher);
    }

    /** What cannot be read now is read after the next notification or reconnection. */
    void readAll(Consumer<OperatorRequest> listener) {
        Stages.ignore(
                "the requests of operators",
                calls.children(paths.requests())
                        .thenAccept(names ->
                                names.forEach(name -> read(Paths.child(paths.requests(), name), listener))));
    }

    private void read(String path, Consumer<OperatorRequest> listener) {
        Stages.ignore("the request of an operator", calls.get(path).thenAccept(node -> {
            Optional<OperatorRequest> request = RequestRecord.find(node.text());
            request.ifPresent(listener);
            if (request.isEmpty()) {
                LOG.log(Level.WARNING, "znode " + path + " is not a request of this version of Tenure");
            }
        }));
    }
}
