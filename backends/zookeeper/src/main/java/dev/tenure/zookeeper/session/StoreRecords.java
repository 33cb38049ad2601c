// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.session;

import dev.tenure.spi.Host;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.EraRecord;
import dev.tenure.spi.support.RequestRecord;
import dev.tenure.spi.support.Stages;
import dev.tenure.zookeeper.client.Paths;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import dev.tenure.zookeeper.client.ZooKeeperCalls.Znode;
import dev.tenure.zookeeper.client.ZooKeeperError;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;

/**
 * What stands beside the elections: a znode with the store's random id and its era, and one for each election that has an operator's
 * request. Loop-confined.
 */
public final class StoreRecords {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private final ZooKeeperCalls calls;
    private final Paths paths;
    private final Host host;

    public StoreRecords(ZooKeeperCalls calls, Paths paths, Host host) {
        this.calls = calls;
        this.paths = paths;
        this.host = host;
    }

    /** Made, if this is the first use of the store. */
    public CompletableFuture<StoreEra> era() {
        return readEra().thenApply(this::era);
    }

    private StoreEra era(Znode node) {
        return EraRecord.of("znode " + paths.era(), node.text());
    }

    private CompletableFuture<Znode> readEra() {
        CompletableFuture<Boolean> synced = calls.sync(paths.era());
        CompletableFuture<Znode> read = calls.get(paths.era());
        return ZooKeeperError.recover(
                synced.thenCompose(done -> read),
                Code.NONODE,
                () -> calls.ensure(paths.era(), EraRecord.text(EraRecord.fresh(host)))
                        .thenCompose(made -> calls.get(paths.era())));
    }

    public CompletableFuture<StoreEra> raiseEra(int atLeast) {
        return EraRecord.raise(atLeast, this::readEra, this::era, this::replaceEra);
    }

    private CompletableFuture<Boolean> replaceEra(Znode known, StoreEra raised) {
        return ZooKeeperError.orElse(
                calls.set(paths.era(), EraRecord.text(raised), known.stat().getVersion())
                        .thenApply(stat -> true),
                Code.BADVERSION,
                false);
    }

    /** Replaces the request that is there. One that another operator makes at the same moment may replace this one. */
    public CompletableFuture<Boolean> write(OperatorRequest request) {
        String path = paths.request(request.election());
        String text = RequestRecord.text(request);
        CompletableFuture<Boolean> replaced =
                calls.set(path, text, ZooKeeperCalls.ANY_VERSION).thenApply(stat -> true);
        return ZooKeeperError.recover(replaced, Code.NONODE, () -> calls.ensure(path, text));
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

    CompletableFuture<Boolean> watchRequests(Watcher watcher) {
        return calls.watchRecursively(paths.requests(), watcher);
    }

    /** What cannot be read now is read after the next notification or reconnection. */
    void readRequests(Consumer<OperatorRequest> listener) {
        Stages.ignore(
                "the requests of operators",
                calls.children(paths.requests())
                        .thenAccept(names ->
                                names.forEach(name -> readRequest(Paths.child(paths.requests(), name), listener))));
    }

    private void readRequest(String path, Consumer<OperatorRequest> listener) {
        Stages.ignore("the request of an operator", calls.get(path).thenAccept(node -> {
            Optional<OperatorRequest> request = RequestRecord.find(node.text());
            request.ifPresent(listener);
            if (request.isEmpty()) {
                LOG.log(Level.WARNING, "znode " + path + " is not a request of this version of Tenure");
            }
        }));
    }
}
