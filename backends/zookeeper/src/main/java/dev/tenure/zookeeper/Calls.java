package dev.tenure.zookeeper;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import dev.tenure.zookeeper.wire.Access;
import dev.tenure.zookeeper.wire.Ask;
import dev.tenure.zookeeper.wire.Code;
import dev.tenure.zookeeper.wire.CreateMode;
import dev.tenure.zookeeper.wire.Event;
import dev.tenure.zookeeper.wire.Op;
import dev.tenure.zookeeper.wire.OpResult;
import dev.tenure.zookeeper.wire.Reply;
import dev.tenure.zookeeper.wire.Stat;
import dev.tenure.zookeeper.wire.Wire;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Calls to ZooKeeper as stages that complete on the loop, in the order in which the server answered them.
 * ZooKeeper keeps that order over calls and notifications: what a notification tells was so before the next answer. Calls
 * that are made one after the other without waiting travel together, and cost one round trip. They may be made on any thread.
 */
final class Calls {
    private static final int ANY_VERSION = -1;

    private final Wire wire;
    private final Host host;
    private final Settings settings;
    private final Access access;

    Calls(Wire wire, Host host, Settings settings) {
        this.wire = wire;
        this.host = host;
        this.settings = settings;
        this.access = settings.acl() == Settings.Access.CREATOR ? Access.CREATOR : Access.OPEN;
    }

    CompletableFuture<Ask.Created> create(String path, byte[] data, CreateMode mode) {
        return ask(path, reply -> Ask.create(path, data, access, mode, reply));
    }

    /** A creation as a part of a transaction. */
    Op creation(String path, byte[] data, CreateMode mode) {
        return Op.create(path, data, access, mode);
    }

    CompletableFuture<Boolean> delete(String path) {
        return delete(path, ANY_VERSION);
    }

    CompletableFuture<Boolean> delete(String path, int version) {
        return ask(path, reply -> Ask.delete(path, version, reply));
    }

    CompletableFuture<Stat> set(String path, byte[] data) {
        return set(path, data, ANY_VERSION);
    }

    CompletableFuture<Stat> set(String path, byte[] data, int version) {
        return ask(path, reply -> Ask.setData(path, data, version, reply));
    }

    CompletableFuture<OpResult.Data> get(String path) {
        return ask(path, reply -> Ask.getData(path, reply));
    }

    /** Reads, and hears of the next change or of the end of the znode; of nothing if there is no such znode. */
    CompletableFuture<OpResult.Data> get(String path, Consumer<Event> watcher) {
        Settling<OpResult.Data> reply = new Settling<>(path);
        wire.getData(path, watcher, reply);
        return reply.future;
    }

    /** The session hears of the next change of each of these znodes, or of its end, or that there is none. */
    CompletableFuture<Boolean> watch(List<String> paths) {
        Settling<Boolean> reply = new Settling<>(paths.get(0));
        wire.watch(paths, reply);
        return reply.future;
    }

    /** Who hears it, and not the session, when this znode is watched. */
    void hear(String path, Consumer<Event> watcher) {
        wire.hear(path, watcher);
    }

    CompletableFuture<List<String>> children(String path) {
        return ask(path, reply -> Ask.getChildren(path, reply));
    }

    /** Brings the server up to what was committed before; reads that follow are linearizable. */
    CompletableFuture<Boolean> sync(String path) {
        return ask(path, reply -> Ask.sync(path, reply));
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
        return ask(path, reply -> Ask.read(reads, reply));
    }

    /** The same, and the answer is told on the thread that hears it. */
    void readTogether(List<Op> reads, Reply<List<OpResult>> reply) {
        wire.send(List.of(Ask.read(reads, reply)));
    }

    /**
     * Reads several znodes at one moment that was not before this call. Both requests travel together, and the loop is woken
     * once: answers come in order, so that to the sync is there before that to the reads.
     */
    CompletableFuture<List<OpResult>> readSynced(String path, List<Op> reads) {
        Settling<List<OpResult>> reply = new Settling<>(path);
        AtomicReference<Code> synced = new AtomicReference<>(Code.SYSTEMERROR);
        Consumer<List<OpResult>> read = results -> {
            if (synced.get() == Code.OK) {
                reply.answered(results);
            } else {
                reply.refused(synced.get());
            }
        };
        wire.send(List.of(
                Ask.sync(path, Reply.of(done -> synced.set(Code.OK), synced::set)),
                Ask.read(reads, Reply.of(read, reply::refused))));
        return reply.future;
    }

    /** All or nothing; the first that was refused tells why. */
    CompletableFuture<List<OpResult>> writeTogether(String path, List<Op> writes) {
        CompletableFuture<List<OpResult>> made = ask(path, reply -> Ask.write(writes, reply));
        return made.thenApply(results -> {
            for (int i = 0; i < results.size(); i++) {
                if (results.get(i) instanceof OpResult.Refused refused && explains(refused.code())) {
                    throw StoreFailure.of(refused.code(), writes.get(i).path(), settings);
                }
            }
            return results;
        });
    }

    /** The others of a refused transaction are answered with "not tried", which explains nothing. */
    private static boolean explains(Code code) {
        return code != Code.OK && code != Code.RUNTIMEINCONSISTENCY;
    }

    /** Hears of every change at and below this path, until the session ends. */
    CompletableFuture<Boolean> watchAll(String path, Consumer<Event> watcher) {
        Settling<Boolean> reply = new Settling<>(path);
        wire.watchAll(path, watcher, reply);
        return reply.future;
    }

    /** Why there was no answer. */
    BackendException failure(Code code, String path) {
        return StoreFailure.of(code == Code.OK ? Code.SYSTEMERROR : code, path, settings);
    }

    private <T> CompletableFuture<T> ask(String path, Function<Reply<T>, Ask<T>> call) {
        Settling<T> reply = new Settling<>(path);
        wire.send(List.of(call.apply(reply)));
        return reply.future;
    }

    /** Brings an answer to the loop. */
    private final class Settling<T> implements Reply<T> {
        private final String path;
        private final CompletableFuture<T> future = new CompletableFuture<>();

        Settling(String path) {
            this.path = path;
        }

        @Override
        public void answered(T value) {
            host.post(() -> future.complete(value));
        }

        @Override
        public void refused(Code code) {
            host.post(() -> future.completeExceptionally(failure(code, path)));
        }
    }
}
