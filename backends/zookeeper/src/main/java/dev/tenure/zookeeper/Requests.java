package dev.tenure.zookeeper;

import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.support.RequestRecord;
import dev.tenure.spi.support.Stages;
import dev.tenure.zookeeper.wire.Code;
import dev.tenure.zookeeper.wire.CreateMode;
import dev.tenure.zookeeper.wire.Event;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Operators' requests, one znode for each election that has one. Loop-confined. */
final class Requests {
    private static final Logger LOG = System.getLogger("dev.tenure");
    private static final int ROUNDS_MAX = 5;

    private final Calls calls;
    private final Layout layout;
    private final Nodes nodes;

    Requests(Calls calls, Layout layout) {
        this.calls = calls;
        this.layout = layout;
        this.nodes = new Nodes(calls);
    }

    /** The last word counts: whatever stands there is replaced. */
    CompletableFuture<Boolean> leave(OperatorRequest request) {
        return leave(request, ROUNDS_MAX);
    }

    private CompletableFuture<Boolean> leave(OperatorRequest request, int rounds) {
        String path = layout.request(request.election());
        return calls.set(path, data(request)).thenApply(stat -> true).exceptionallyCompose(failure -> {
            boolean absent = StoreFailure.is(failure, Code.NONODE);
            return absent && rounds > 1
                    ? nodes.ensure(path, data(request), CreateMode.PERSISTENT)
                            .thenCompose(made -> leave(request, rounds - 1))
                    : CompletableFuture.failedFuture(failure);
        });
    }

    /** Removes exactly this request; a later one for the same election stays. */
    CompletableFuture<Boolean> clear(OperatorRequest request) {
        String path = layout.request(request.election());
        return calls.sync(path)
                .thenCompose(synced -> calls.get(path))
                .thenCompose(node ->
                        RequestRecord.find(node.text()).filter(request::equals).isPresent()
                                ? calls.delete(path, node.stat().version())
                                : CompletableFuture.completedFuture(false))
                .exceptionallyCompose(failure -> {
                    boolean gone = StoreFailure.is(failure, Code.NONODE) || StoreFailure.is(failure, Code.BADVERSION);
                    return gone ? CompletableFuture.completedFuture(false) : CompletableFuture.failedFuture(failure);
                });
    }

    CompletableFuture<Boolean> watch(Consumer<Event> watcher) {
        return calls.watchAll(layout.requests(), watcher);
    }

    /** Reads all there are. What cannot be read now is read when the next notification or connection comes. */
    void tellAll(Consumer<OperatorRequest> listener) {
        Stages.ignore(
                "a call that nobody waits for",
                calls.children(layout.requests())
                        .thenAccept(names ->
                                names.forEach(name -> tell(Layout.child(layout.requests(), name), listener))));
    }

    private void tell(String path, Consumer<OperatorRequest> listener) {
        Stages.ignore("a call that nobody waits for", calls.get(path).thenAccept(node -> {
            Optional<OperatorRequest> request = RequestRecord.find(node.text());
            request.ifPresent(listener);
            if (request.isEmpty()) {
                LOG.log(Level.WARNING, "znode " + path + " is not a request of this version of Tenure");
            }
        }));
    }

    private static byte[] data(OperatorRequest request) {
        return Nodes.bytes(RequestRecord.text(request));
    }
}
