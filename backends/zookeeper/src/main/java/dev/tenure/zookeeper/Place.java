package dev.tenure.zookeeper;

import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.spi.ReleaseReply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;

/**
 * What one session has in one election: at most one latch. Enters the queue and leaves it. Loop-confined.
 *
 * <p>A creation whose answer was lost may have been applied, or may be about to be. ZooKeeper does not apply it after the
 * client has come back on another connection: the leader refuses what an older connection of the session sent ("session
 * moved"), and one connection keeps its order. So once the client is back, a synced look at the children is final: what
 * carries a nonce of ours and belongs to this session is ours, and what is not there will not come.
 */
final class Place {
    private static final byte[] NOTHING = {};
    private static final int ANY_VERSION = -1;
    private static final int ROUNDS_MAX = 3;

    private final Calls calls;
    private final Settings settings;
    private final TermLedger ledger;
    private final long sessionId;
    private final String election;
    private final Attempts attempts = new Attempts();
    /** Nonces whose latch may be there or not, with the token if one was granted. */
    private final Map<Nonce, Optional<FencingToken>> unsettled = new HashMap<>(2);

    private Optional<Mine> mine = Optional.empty();
    private boolean parentKnown;

    Place(Calls calls, Settings settings, TermLedger ledger, long sessionId, String election) {
        this.calls = calls;
        this.settings = settings;
        this.ledger = ledger;
        this.sessionId = sessionId;
        this.election = election;
    }

    /** A latch, and the election at a moment after it was created. */
    record Entered(Mine mine, Moment moment) {}

    Optional<Mine> mine() {
        return mine;
    }

    boolean has(Mine latch) {
        return mine.filter(now -> now == latch && !now.isLeaving()).isPresent();
    }

    void attempt(Nonce nonce) {
        attempts.sent(nonce);
    }

    /** From now on nothing of these attempts is granted, whatever arrives. */
    void stopGranting(Nonce nonce) {
        mine.filter(latch -> attempts.isUpTo(latch.nonce(), nonce)).ifPresent(Mine::leave);
    }

    /** Has a latch with this nonce, keeping the one that is there already. */
    CompletableFuture<Entered> enter(Nonce nonce, byte[] data) {
        return settle().thenCompose(settled -> {
            Optional<Mine> standing = mine.filter(latch -> latch.nonce().equals(nonce));
            return standing.isPresent() ? keep(standing.get(), data) : create(nonce, data, ROUNDS_MAX);
        });
    }

    private CompletableFuture<Entered> keep(Mine standing, byte[] data) {
        return look(standing).thenCompose(moment -> {
            if (moment.isPresent()) {
                return CompletableFuture.completedFuture(new Entered(standing, moment.get()));
            }
            mine = Optional.empty();
            return create(standing.nonce(), data, ROUNDS_MAX);
        });
    }

    /** The election now, by a linearizable read; empty if the latch is not there any more. */
    CompletableFuture<Optional<Moment>> look(Mine latch) {
        CompletableFuture<Boolean> synced = calls.sync(election);
        CompletableFuture<Moment> read = calls.readTogether(election, Moment.reads(election, latch.path()))
                .thenApply(results -> Moment.of(results, election, settings));
        return synced.thenCompose(done -> read)
                .thenApply(moment -> Optional.of(moment)
                        .filter(now -> now.own()
                                        .filter(node -> latch.isProvedBy(node, sessionId))
                                        .isPresent()
                                && now.latch().contains(latch.name())));
    }

    /**
     * Removal of an older latch, the znode above, the latch and the first look travel together. The creation is a write that
     * a quorum has agreed to, so what is read behind it on the same connection is no older.
     */
    private CompletableFuture<Entered> create(Nonce nonce, byte[] data, int rounds) {
        Optional<Mine> old = mine;
        CompletableFuture<Boolean> removed =
                old.map(latch -> removed(latch.path())).orElseGet(() -> CompletableFuture.completedFuture(true));
        mine = Optional.empty();
        if (!parentKnown) {
            Aside.run(calls.create(election, NOTHING, CreateMode.PERSISTENT)); // mostly it is there
            parentKnown = true;
        }
        CompletableFuture<Calls.Created> created =
                calls.create(Layout.child(election, Latch.prefix(nonce)), data, CreateMode.EPHEMERAL_SEQUENTIAL);
        CompletableFuture<Moment> read = calls.readTogether(election, Moment.reads(election))
                .thenApply(results -> Moment.of(results, election, settings));
        CompletableFuture<Boolean> settledOld = removed.exceptionally(failure -> {
            old.ifPresent(latch -> unsettled.put(latch.nonce(), latch.token()));
            return false;
        });
        return settledOld
                .thenCompose(done -> created)
                .thenApply(latch -> new Mine(nonce, latch.path(), latch.stat().getCzxid(), Optional.empty()))
                .thenCompose(latch -> entered(latch, read))
                .exceptionallyCompose(failure -> created.isCompletedExceptionally()
                        ? notCreated(nonce, data, rounds, failure)
                        : CompletableFuture.failedFuture(failure));
    }

    private CompletableFuture<Entered> entered(Mine latch, CompletableFuture<Moment> read) {
        mine = Optional.of(latch);
        return read.thenApply(moment -> new Entered(latch, moment));
    }

    private CompletableFuture<Entered> notCreated(Nonce nonce, byte[] data, int rounds, Throwable failure) {
        if (StoreFailure.is(failure, Code.NONODE) && rounds > 1) {
            // The znode of the election was removed (as containers are, when they are empty), or one above it.
            return new Nodes(calls)
                    .ensure(election, NOTHING, CreateMode.PERSISTENT)
                    .thenCompose(made -> create(nonce, data, rounds - 1));
        }
        boolean refused = StoreFailure.is(failure, Code.NONODE) || StoreFailure.is(failure, Code.NOAUTH);
        parentKnown = false;
        if (!refused) {
            unsettled.put(nonce, Optional.empty());
        }
        return CompletableFuture.failedFuture(failure);
    }

    /** Finds out what became of the attempts whose answers were lost, and keeps the newest latch of them. */
    private CompletableFuture<Boolean> settle() {
        if (unsettled.isEmpty()) {
            return CompletableFuture.completedFuture(true);
        }
        CompletableFuture<Boolean> synced = calls.sync(election);
        CompletableFuture<List<String>> children = calls.children(election)
                .exceptionallyCompose(failure -> StoreFailure.is(failure, Code.NONODE)
                        ? CompletableFuture.completedFuture(List.of())
                        : CompletableFuture.failedFuture(failure));
        return synced.thenCompose(done -> children).thenCompose(this::ownAmong).thenCompose(found -> {
            mine.ifPresent(found::add);
            found.sort(Comparator.comparingInt((Mine latch) -> attempts.order(latch.nonce())));
            mine = found.isEmpty() ? Optional.empty() : Optional.of(found.remove(found.size() - 1));
            CompletableFuture<Boolean> cleared = CompletableFuture.completedFuture(true);
            for (Mine duplicate : found) {
                CompletableFuture<Boolean> removed = removed(duplicate.path());
                cleared = cleared.thenCompose(done -> removed);
            }
            return cleared.thenApply(done -> {
                unsettled.clear();
                return true;
            });
        });
    }

    private CompletableFuture<List<Mine>> ownAmong(List<String> children) {
        CompletableFuture<List<Mine>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (String name : children) {
            Optional<Nonce> nonce = Latch.nonce(name).filter(unsettled::containsKey);
            if (nonce.isPresent()) {
                CompletableFuture<Optional<Mine>> one = own(Layout.child(election, name), nonce.get());
                all = all.thenCombine(one, (found, latch) -> {
                    latch.ifPresent(found::add);
                    return found;
                });
            }
        }
        return all;
    }

    /** A nonce in a name is no proof: only the session that created a latch owns it. */
    private CompletableFuture<Optional<Mine>> own(String path, Nonce nonce) {
        return calls.get(path)
                .thenApply(node -> Optional.of(node)
                        .filter(found -> found.stat().getEphemeralOwner() == sessionId)
                        .map(found -> new Mine(
                                nonce, path, found.stat().getCzxid(), unsettled.getOrDefault(nonce, Optional.empty()))))
                .exceptionallyCompose(failure -> StoreFailure.is(failure, Code.NONODE)
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : CompletableFuture.failedFuture(failure));
    }

    /** Gives up the latch of this nonce, or of an attempt before it. */
    CompletableFuture<ReleaseReply> leave(Nonce nonce, Optional<LastTerm> ended) {
        return settle().thenCompose(settled -> {
            Optional<Mine> leaving = mine.filter(latch -> attempts.isUpTo(latch.nonce(), nonce));
            return leaving.isPresent()
                    ? remove(leaving.get(), ended)
                    : CompletableFuture.completedFuture(ReleaseReply.NOT_HELD);
        });
    }

    private CompletableFuture<ReleaseReply> remove(Mine latch, Optional<LastTerm> ended) {
        latch.leave();
        mine = Optional.empty();
        ledger.forget(election);
        Optional<LastTerm> term = ended.filter(last -> last.isOf(latch.czxid()));
        CompletableFuture<Boolean> removed = term.isPresent() ? removed(latch, term.get()) : deleted(latch.path());
        return removed.thenApply(was -> was ? ReleaseReply.RELEASED : ReleaseReply.NOT_HELD)
                .exceptionallyCompose(failure -> {
                    unsettled.put(latch.nonce(), latch.token());
                    return CompletableFuture.failedFuture(failure);
                });
    }

    /** The latch goes and the end of its term is written down, in one transaction; where only the former may be, that. */
    private CompletableFuture<Boolean> removed(Mine latch, LastTerm ended) {
        List<Op> writes = List.of(
                Op.delete(latch.path(), ANY_VERSION),
                Op.setData(election, ended.released().data(), ANY_VERSION));
        return calls.writeTogether(election, writes).thenApply(done -> true).exceptionallyCompose(failure -> {
            if (StoreFailure.is(failure, Code.NONODE)) {
                return CompletableFuture.completedFuture(false);
            }
            return StoreFailure.is(failure, Code.NOAUTH)
                    ? deleted(latch.path())
                    : CompletableFuture.failedFuture(failure);
        });
    }

    private CompletableFuture<Boolean> removed(String path) {
        return deleted(path).thenApply(done -> true);
    }

    /** False if it was gone already. */
    private CompletableFuture<Boolean> deleted(String path) {
        return calls.delete(path)
                .exceptionallyCompose(failure -> StoreFailure.is(failure, Code.NONODE)
                        ? CompletableFuture.completedFuture(false)
                        : CompletableFuture.failedFuture(failure));
    }
}
