package dev.tenure.zookeeper;

import dev.tenure.spi.Host;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
 * that are made one after the other without waiting travel together, and cost one round trip.
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
        CompletableFuture<Created> reply = new CompletableFuture<>();
        wire.create(
                path,
                data,
                wire.acl(),
                mode,
                (rc, at, context, name, stat) -> settle(reply, rc, path, rc == 0 ? new Created(name, stat) : null),
                null);
        return reply;
    }

    CompletableFuture<Boolean> delete(String path) {
        return delete(path, ANY_VERSION);
    }

    CompletableFuture<Boolean> delete(String path, int version) {
        CompletableFuture<Boolean> reply = new CompletableFuture<>();
        wire.delete(path, version, (rc, at, context) -> settle(reply, rc, path, true), null);
        return reply;
    }

    CompletableFuture<Stat> set(String path, byte[] data) {
        return set(path, data, ANY_VERSION);
    }

    CompletableFuture<Stat> set(String path, byte[] data, int version) {
        CompletableFuture<Stat> reply = new CompletableFuture<>();
        wire.setData(path, data, version, (rc, at, context, stat) -> settle(reply, rc, path, stat), null);
        return reply;
    }

    CompletableFuture<Node> get(String path) {
        return get(path, null);
    }

    /** Reads, and hears of the next change or of the end of the znode; of nothing if there is no such znode. */
    CompletableFuture<Node> get(String path, @Nullable Watcher watcher) {
        CompletableFuture<Node> reply = new CompletableFuture<>();
        wire.getData(
                path,
                watcher,
                (rc, at, context, data, stat) -> settle(reply, rc, path, rc == 0 ? new Node(text(data), stat) : null),
                null);
        return reply;
    }

    CompletableFuture<List<String>> children(String path) {
        CompletableFuture<List<String>> reply = new CompletableFuture<>();
        wire.getChildren(path, null, (rc, at, context, names) -> settle(reply, rc, path, names), null);
        return reply;
    }

    /** Brings the server up to what was committed before; reads that follow are linearizable. */
    CompletableFuture<Boolean> sync(String path) {
        CompletableFuture<Boolean> reply = new CompletableFuture<>();
        wire.sync(path, (rc, at, context) -> settle(reply, rc, path, true), null);
        return reply;
    }

    /** Reads several znodes at one moment; each has its own result. */
    CompletableFuture<List<OpResult>> readTogether(String path, List<Op> reads) {
        CompletableFuture<List<OpResult>> reply = new CompletableFuture<>();
        wire.multi(
                reads,
                (rc, at, context, results) -> settle(reply, results == null ? rc : Code.OK.intValue(), path, results),
                null);
        return reply;
    }

    /** All or nothing; the first that was refused tells why. */
    CompletableFuture<List<OpResult>> writeTogether(String path, List<Op> writes) {
        CompletableFuture<List<OpResult>> reply = new CompletableFuture<>();
        wire.multi(writes, (rc, at, context, results) -> settle(reply, refusal(rc, results), path, results), null);
        return reply;
    }

    /** The others of a refused transaction are answered with "not tried", which explains nothing. */
    private static int refusal(int rc, @Nullable List<OpResult> results) {
        if (results == null) {
            return rc;
        }
        return results.stream()
                .filter(OpResult.ErrorResult.class::isInstance)
                .map(result -> ((OpResult.ErrorResult) result).getErr())
                .filter(code -> code != Code.OK.intValue() && code != Code.RUNTIMEINCONSISTENCY.intValue())
                .findFirst()
                .orElse(rc);
    }

    /** Hears of every change at and below this path, until the session ends. */
    CompletableFuture<Boolean> watchAll(String path, Watcher watcher) {
        CompletableFuture<Boolean> reply = new CompletableFuture<>();
        wire.addWatch(
                path,
                watcher,
                AddWatchMode.PERSISTENT_RECURSIVE,
                (rc, at, context) -> settle(reply, rc, path, true),
                null);
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
