package dev.tenure.zookeeper.client;

import dev.tenure.spi.Host;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
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

    /** Called on the loop. */
    public interface WatchListener {
        void changed(String path, EventType type);
    }

    /** A znode as it was created; the path includes the sequence. */
    public record Created(String path, Stat stat) {}

    public CompletableFuture<Created> create(String path, String text, CreateMode mode) {
        return send(reply -> client.create(
                path,
                bytes(text),
                acl,
                mode,
                (rc, at, context, name, stat) -> complete(reply, rc, path, rc == 0 ? new Created(name, stat) : null),
                null));
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
                () -> ensureAbove(path).thenCompose(done -> createUnlessThere(path, text)));
    }

    /** All are requested at once, in their order. */
    private CompletableFuture<Boolean> ensureAbove(String path) {
        CompletableFuture<Boolean> last = CompletableFuture.completedFuture(true);
        for (String parent : Paths.above(path)) {
            CompletableFuture<Boolean> made = createUnlessThere(parent, "");
            last = last.thenCompose(done -> made);
        }
        return last;
    }

    private CompletableFuture<Boolean> createUnlessThere(String path, String text) {
        return ZooKeeperError.orElse(
                create(path, text, CreateMode.PERSISTENT).thenApply(made -> true), Code.NODEEXISTS, true);
    }

    public CompletableFuture<Boolean> delete(String path, int version) {
        return send(reply -> client.delete(path, version, (rc, at, context) -> complete(reply, rc, path, true), null));
    }

    public CompletableFuture<Stat> set(String path, String text, int version) {
        return send(reply -> client.setData(
                path, bytes(text), version, (rc, at, context, stat) -> complete(reply, rc, path, stat), null));
    }

    public CompletableFuture<Znode> get(String path) {
        return send(reply -> client.getData(path, null, onData(reply, path), null));
    }

    /**
     * Reads, and reports the next change or deletion of the znode. If the read fails, nothing is watched. The client sets the watch
     * again on a new connection, and reports there what it has missed.
     */
    public CompletableFuture<Znode> get(String path, Watcher watcher) {
        return send(reply -> client.getData(path, watcher, onData(reply, path), null));
    }

    /** Who belongs to the ensemble, as the servers themselves keep it. */
    public CompletableFuture<Znode> ensemble() {
        return send(reply -> client.getConfig(null, onData(reply, "the configuration"), null));
    }

    private DataCallback onData(CompletableFuture<Znode> reply, String path) {
        return (rc, at, context, data, stat) -> complete(reply, rc, path, rc == 0 ? Znode.of(data, stat) : null);
    }

    /** One for all znodes that are watched for the same purpose: the client keeps a set of watchers for each path. */
    public static Watcher watcher(Host host, WatchListener listener) {
        return event -> {
            if (event.getType() != EventType.None) { // else it is about the connection
                host.post(() -> listener.changed(event.getPath(), event.getType()));
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

    /**
     * Like sync, but by a transaction that changes nothing. ZooKeeper's leader answers a sync of its own clients without
     * waiting for what is proposed and not yet agreed on; an answer to this comes behind all that was proposed before.
     */
    public CompletableFuture<List<OpResult>> commitBarrier(String path) {
        return write(path, List.of(Op.check(path, ANY_VERSION)));
    }

    /** Reads several znodes at one moment; each has its own result. */
    public CompletableFuture<List<OpResult>> read(String path, List<Op> reads) {
        return send(reply -> client.multi(
                reads, (rc, at, context, results) -> complete(reply, results == null ? rc : 0, path, results), null));
    }

    /**
     * Reads several znodes at one moment that was not before this call. Both requests cost one round trip, and the loop is woken
     * once: the client calls back in order, so the answer to the sync is there before that to the reads.
     */
    public CompletableFuture<List<OpResult>> syncAndRead(String path, List<Op> reads) {
        return send(reply -> {
            AtomicInteger synced = new AtomicInteger(Code.SYSTEMERROR.intValue());
            client.sync(path, (rc, at, context) -> synced.set(rc), null);
            client.multi(
                    reads,
                    (rc, at, context, results) -> {
                        int read = results == null ? rc : 0;
                        complete(reply, synced.get() == 0 ? read : synced.get(), path, results);
                    },
                    null);
        });
    }

    /** All or nothing; the failure is that of the operation that was refused. */
    public CompletableFuture<List<OpResult>> write(String path, List<Op> writes) {
        return send(reply -> client.multi(
                writes,
                (rc, at, context, results) -> {
                    OptionalInt refused = refused(results);
                    if (refused.isPresent()) {
                        int first = refused.getAsInt();
                        OpResult.ErrorResult why = (OpResult.ErrorResult) results.get(first);
                        complete(reply, why.getErr(), writes.get(first).getPath(), results);
                    } else {
                        complete(reply, rc, path, results);
                    }
                },
                null));
    }

    /** The other operations of a refused transaction are answered with RUNTIMEINCONSISTENCY, which explains nothing. */
    private static OptionalInt refused(@Nullable List<OpResult> results) {
        return results == null
                ? OptionalInt.empty()
                : IntStream.range(0, results.size())
                        .filter(i -> results.get(i) instanceof OpResult.ErrorResult error
                                && error.getErr() != Code.OK.intValue()
                                && error.getErr() != Code.RUNTIMEINCONSISTENCY.intValue())
                        .findFirst();
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
