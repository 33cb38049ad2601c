// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.client;

import dev.tenure.spi.Host;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The asynchronous calls of ZooKeeper's client as futures that complete on the loop, in the order in which the server answered them.
 * ZooKeeper keeps that order over answers and notifications: what a notification reports was so before the next answer. Calls
 * that are made one after the other without waiting cost one round trip together.
 *
 * <p>The client calls back on a thread of its own; nothing but {@link Host#post} happens there, so nothing can block it.
 */
public final class ZooKeeperCalls {
    public static final int ANY_VERSION = -1;

    private final KeeperClient client;
    private final Host host;
    private final Settings settings;
    private final List<ACL> acl;

    ZooKeeperCalls(KeeperClient client, Host host, Settings settings) {
        this.client = client;
        this.host = host;
        this.settings = settings;
        this.acl = settings.paths().access() == Paths.Access.CREATOR ? Ids.CREATOR_ALL_ACL : Ids.OPEN_ACL_UNSAFE;
    }

    /** A znode as it was read. */
    public record Znode(String text, Stat stat) {
        public static Znode of(byte @Nullable [] data, Stat stat) {
            return new Znode(data == null ? "" : new String(data, StandardCharsets.UTF_8), stat);
        }
    }

    /** A creation as a part of a transaction. */
    public Op creation(String path, String text, CreateMode mode) {
        return Op.create(path, bytes(text), acl, mode);
    }

    /** A change as a part of a transaction. */
    public static Op change(String path, String text) {
        return Op.setData(path, bytes(text), ANY_VERSION);
    }

    /** Data is text throughout. */
    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Creates this persistent znode unless it is there; those above it too, where they are missing. */
    public CompletableFuture<Boolean> ensure(String path, String text) {
        return ZooKeeperError.recover(
                createUnlessThere(path, text),
                Code.NONODE,
                () -> all(Paths.above(path).stream().map(parent -> createUnlessThere(parent, "")))
                        .thenCompose(done -> createUnlessThere(path, text)));
    }

    private CompletableFuture<Boolean> createUnlessThere(String path, String text) {
        CompletableFuture<Boolean> created = send(reply -> client.create(
                path,
                bytes(text),
                acl,
                CreateMode.PERSISTENT,
                (rc, at, context, name) -> complete(reply, rc, path, true),
                null));
        return ZooKeeperError.orElse(created, Code.NODEEXISTS, true);
    }

    public CompletableFuture<Boolean> delete(String path, int version) {
        return send(reply -> client.delete(path, version, (rc, at, context) -> complete(reply, rc, path, true), null));
    }

    public CompletableFuture<Stat> set(String path, String text, int version) {
        return send(reply -> client.setData(
                path, bytes(text), version, (rc, at, context, stat) -> complete(reply, rc, path, stat), null));
    }

    public CompletableFuture<Znode> get(String path) {
        return get(path, null);
    }

    /**
     * Reads, and reports the next change or deletion of the znode. If the read fails, nothing is watched. The client sets the watch
     * again on a new connection, and reports there what it has missed.
     */
    public CompletableFuture<Znode> get(String path, @Nullable Watcher watcher) {
        return send(reply -> client.getData(path, watcher, onData(reply, path), null));
    }

    /** The members of the ensemble, as the servers themselves keep them. */
    public CompletableFuture<Znode> ensemble() {
        return send(reply -> client.getConfig(null, onData(reply, "the configuration"), null));
    }

    private DataCallback onData(CompletableFuture<Znode> reply, String path) {
        return (rc, at, context, data, stat) -> complete(reply, rc, path, rc == 0 ? Znode.of(data, stat) : null);
    }

    /**
     * One for all znodes that are watched for the same purpose: the client keeps a set of watchers for each path.
     *
     * @param onLoop called on the loop
     */
    public static Watcher watcher(Host host, Watcher onLoop) {
        return event -> {
            if (event.getType() != EventType.None) { // else it is about the connection
                host.post(() -> onLoop.process(event));
            }
        };
    }

    public CompletableFuture<List<String>> children(String path) {
        return send(reply ->
                client.getChildren(path, null, (rc, at, context, names) -> complete(reply, rc, path, names), null));
    }

    /** Brings the server up to what was committed before; reads that follow are linearizable. */
    public CompletableFuture<Boolean> sync(String path) {
        return send(reply -> client.sync(path, (rc, at, context) -> complete(reply, rc, path, true), null));
    }

    /** Reads several znodes at one moment; each has its own result. */
    public CompletableFuture<List<OpResult>> read(List<Op> reads) {
        String path = reads.get(0).getPath();
        return send(reply -> client.multi(
                reads, (rc, at, context, results) -> complete(reply, results == null ? rc : 0, path, results), null));
    }

    /** All or nothing; the failure is that of the operation that was refused. */
    public CompletableFuture<List<OpResult>> write(List<Op> writes) {
        return send(reply -> client.multi(
                writes,
                (rc, at, context, results) -> {
                    int refused = refused(results);
                    if (refused < 0) {
                        complete(reply, rc, writes.get(0).getPath(), results);
                    } else {
                        OpResult.ErrorResult why = (OpResult.ErrorResult) results.get(refused);
                        complete(reply, why.getErr(), writes.get(refused).getPath(), results);
                    }
                },
                null));
    }

    /** The other operations of a refused transaction are answered with RUNTIMEINCONSISTENCY, which explains nothing. */
    private static int refused(@Nullable List<OpResult> results) {
        for (int i = 0; results != null && i < results.size(); i++) {
            if (results.get(i) instanceof OpResult.ErrorResult error
                    && error.getErr() != Code.OK.intValue()
                    && error.getErr() != Code.RUNTIMEINCONSISTENCY.intValue()) {
                return i;
            }
        }
        return -1;
    }

    /** Reports every change at and below this path, until the session ends. What happens between two connections is missed. */
    public CompletableFuture<Boolean> watchRecursively(String path, Watcher watcher) {
        return send(reply -> client.addWatch(
                path,
                watcher,
                AddWatchMode.PERSISTENT_RECURSIVE,
                (rc, at, context) -> complete(reply, rc, path, true),
                null));
    }

    /** The answers to all of these, once the last has come. */
    public static <T> CompletableFuture<List<T>> all(Stream<CompletableFuture<T>> calls) {
        List<CompletableFuture<T>> made = calls.toList();
        return CompletableFuture.allOf(made.toArray(CompletableFuture[]::new))
                .thenApply(done -> made.stream().map(CompletableFuture::join).toList());
    }

    /** If the client throws, the call has failed: nobody must wait for its answer for ever. */
    private <T> CompletableFuture<T> send(Consumer<CompletableFuture<T>> call) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        try {
            call.accept(reply);
        } catch (RuntimeException thrown) {
            host.post(() -> reply.completeExceptionally(thrown));
        }
        return reply;
    }

    private <T> void complete(CompletableFuture<T> reply, int rc, String path, @Nullable T value) {
        Code code = Code.get(rc);
        host.post(() -> {
            if (code == Code.OK && value != null) {
                reply.complete(value);
            } else {
                Code known = code == null || code == Code.OK ? Code.SYSTEMERROR : code;
                reply.completeExceptionally(ZooKeeperError.of(known, path, settings));
            }
        });
    }
}
