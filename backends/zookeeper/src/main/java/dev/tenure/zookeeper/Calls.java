package dev.tenure.zookeeper;

import dev.tenure.spi.Host;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The calls of ZooKeeper's client as stages that complete on the loop, in the order in which the server answered them.
 * ZooKeeper keeps that order over calls and notifications: what a notification tells was so before the next answer. Calls
 * that are made one after the other without waiting travel together, and cost one round trip. They may be made on any thread.
 */
final class Calls {
    private static final int ANY_VERSION = -1;

    private final Wire wire;
    private final Host host;
    private final Settings settings;

    Calls(Wire wire, Host host, Settings settings) {
        this.wire = wire;
        this.host = host;
        this.settings = settings;
    }

    /** A znode as it was read. */
    record Node(String text, Stat stat) {}

    /** A znode as it was created; a sequence has its place in the path. */
    record Created(String path, Stat stat) {}

    CompletableFuture<Created> create(String path, byte[] data, CreateMode mode) {
        return ask(reply -> wire.create(
                path,
                data,
                wire.acl(),
                mode,
                (rc, at, context, name, stat) -> settle(reply, rc, path, rc == 0 ? new Created(name, stat) : null),
                null));
    }

    /** A creation as a part of a transaction. */
    Op creation(String path, byte[] data, CreateMode mode) {
        return Op.create(path, data, wire.acl(), mode);
    }

    CompletableFuture<Boolean> delete(String path) {
        return delete(path, ANY_VERSION);
    }

    CompletableFuture<Boolean> delete(String path, int version) {
        return ask(reply -> wire.delete(path, version, (rc, at, context) -> settle(reply, rc, path, true), null));
    }

    CompletableFuture<Stat> set(String path, byte[] data) {
        return set(path, data, ANY_VERSION);
    }

    CompletableFuture<Stat> set(String path, byte[] data, int version) {
        return ask(reply ->
                wire.setData(path, data, version, (rc, at, context, stat) -> settle(reply, rc, path, stat), null));
    }

    CompletableFuture<Node> get(String path) {
        return get(path, null);
    }

    /** Reads, and hears of the next change or of the end of the znode; of nothing if there is no such znode. */
    CompletableFuture<Node> get(String path, @Nullable Watcher watcher) {
        return ask(reply -> wire.getData(
                path,
                watcher,
                (rc, at, context, data, stat) -> settle(reply, rc, path, rc == 0 ? new Node(text(data), stat) : null),
                null));
    }

    /** Whoever {@link #hear hears} hears of the next change of each of these znodes, or of its end, or that there is none. */
    CompletableFuture<Boolean> watch(List<String> paths) {
        return ask(reply -> wire.watch(paths, (rc, at, context) -> settle(reply, rc, paths.get(0), true)));
    }

    /** Hears of what happens to the znodes below this path that are watched one by one. */
    CompletableFuture<Boolean> hear(String path, Watcher watcher) {
        return ask(reply -> wire.hear(path, watcher, (rc, at, context) -> settle(reply, rc, path, true)));
    }

    /** On a new connection the client has told the server to tell all again. */
    void hearOnlyWatched(String path) {
        wire.forgetAllBelow(path);
    }

    CompletableFuture<List<String>> children(String path) {
        return ask(reply ->
                wire.getChildren(path, null, (rc, at, context, names) -> settle(reply, rc, path, names), null));
    }

    /** Brings the server up to what was committed before; reads that follow are linearizable. */
    CompletableFuture<Boolean> sync(String path) {
        return ask(reply -> wire.sync(path, (rc, at, context) -> settle(reply, rc, path, true), null));
    }

    /**
     * Like sync, but by a transaction that changes nothing. ZooKeeper's leader answers a sync of its own clients without
     * waiting for what is proposed and not yet agreed on; an answer to this comes behind all that was proposed before.
     */
    CompletableFuture<List<OpResult>> settleAll(String path) {
        return writeTogether(path, List.of(Op.check(path, ANY_VERSION)));
    }

    /** Reads several znodes at one moment; each has its own result. */
    CompletableFuture<List<OpResult>> readTogether(String path, List<Op> reads) {
        return ask(reply -> wire.multi(
                reads,
                (rc, at, context, results) -> settle(reply, results == null ? rc : Code.OK.intValue(), path, results),
                null));
    }

    /**
     * Reads several znodes at one moment that was not before this call. Both requests travel together, and the loop is woken
     * once: the client calls back on one thread, in order, so the answer to the sync is there before that to the reads.
     */
    CompletableFuture<List<OpResult>> readSynced(String path, List<Op> reads) {
        return ask(reply -> {
            AtomicInteger synced = new AtomicInteger(Code.SYSTEMERROR.intValue());
            wire.sync(path, (rc, at, context) -> synced.set(rc), null);
            wire.multi(
                    reads,
                    (rc, at, context, results) -> {
                        boolean read = synced.get() == Code.OK.intValue();
                        int refused = results == null ? rc : Code.OK.intValue();
                        settle(reply, read ? refused : synced.get(), path, results);
                    },
                    null);
        });
    }

    /** All or nothing; the first that was refused tells why. */
    CompletableFuture<List<OpResult>> writeTogether(String path, List<Op> writes) {
        return ask(reply -> wire.multi(
                writes,
                (rc, at, context, results) -> {
                    OptionalInt refused = refused(results);
                    if (refused.isPresent()) {
                        int first = refused.getAsInt();
                        OpResult.ErrorResult why = (OpResult.ErrorResult) results.get(first);
                        settle(reply, why.getErr(), writes.get(first).getPath(), results);
                    } else {
                        settle(reply, rc, path, results);
                    }
                },
                null));
    }

    /** The others of a refused transaction are answered with "not tried", which explains nothing. */
    private static OptionalInt refused(@Nullable List<OpResult> results) {
        return results == null
                ? OptionalInt.empty()
                : IntStream.range(0, results.size())
                        .filter(i -> results.get(i) instanceof OpResult.ErrorResult error
                                && error.getErr() != Code.OK.intValue()
                                && error.getErr() != Code.RUNTIMEINCONSISTENCY.intValue())
                        .findFirst();
    }

    /** Hears of every change at and below this path, until the session ends. */
    CompletableFuture<Boolean> watchAll(String path, Watcher watcher) {
        return ask(reply -> wire.addWatch(
                path,
                watcher,
                AddWatchMode.PERSISTENT_RECURSIVE,
                (rc, at, context) -> settle(reply, rc, path, true),
                null));
    }

    /** A client that throws is answered for: whoever waits for the reply must not wait for ever. */
    private <T> CompletableFuture<T> ask(Consumer<CompletableFuture<T>> call) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        try {
            call.accept(reply);
        } catch (RuntimeException | Error thrown) {
            host.post(() -> reply.completeExceptionally(thrown));
        }
        return reply;
    }

    private <T> void settle(CompletableFuture<T> reply, int rc, String path, @Nullable T value) {
        Code code = Code.get(rc);
        host.post(() -> {
            if (code == Code.OK && value != null) {
                reply.complete(value);
            } else {
                Code known = code == null || code == Code.OK ? Code.SYSTEMERROR : code;
                reply.completeExceptionally(StoreFailure.of(known, path, settings));
            }
        });
    }

    /** Data is text throughout; a znode may also have none. */
    static String text(byte @Nullable [] data) {
        return data == null ? "" : new String(data, StandardCharsets.UTF_8);
    }
}
