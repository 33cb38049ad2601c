// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.claim;

import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.support.ClaimOrder;
import dev.tenure.spi.support.Stages;
import dev.tenure.zookeeper.client.Paths;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import dev.tenure.zookeeper.client.ZooKeeperError;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;

/**
 * What one session has in one election: at most one latch. Creates it and removes it. Loop-confined.
 *
 * <p>One change at a time, and the newest wins: a change begins when the one before it has ended, and one that a newer call has
 * overtaken while it waited is not made at all. So a release never runs ahead of the claim that it takes back.
 *
 * <p>A creation whose answer was lost may have been applied, or may be about to be. ZooKeeper does not apply it after the
 * client has come back on another connection: the leader refuses what an older connection of the session sent ("session
 * moved"), and one connection keeps its order. What the leader has proposed already is settled before a transaction that
 * comes later. So once the client is back, a list of the children behind such a transaction is final: a latch with a nonce of
 * ours that belongs to this session is ours, and one that is not there will not come.
 */
final class LatchEntry {
    private static final int ROUNDS_MAX = 3;

    private final SessionContext context;
    private final BatchedCalls calls;
    private final String election;
    /** Open claims are nonces whose latch may be there or not, with the token if one was granted. */
    private final ClaimOrder<Optional<FencingToken>> order = new ClaimOrder<>();

    private Optional<OwnLatch> latch = Optional.empty();
    private boolean parentKnown;
    private CompletableFuture<Boolean> lastChange = CompletableFuture.completedFuture(true);

    /** @param election the path of its znode */
    LatchEntry(SessionContext context, BatchedCalls calls, String election) {
        this.context = context;
        this.calls = calls;
        this.election = election;
    }

    Optional<OwnLatch> latch() {
        return latch;
    }

    boolean has(OwnLatch own) {
        return latch.isPresent() && latch.get() == own && !own.isLeaving();
    }

    /** If not, the next claim waits for a change that is under way, or finds out what became of an earlier attempt. */
    boolean isIdle() {
        return lastChange.isDone() && order.open().isEmpty();
    }

    /**
     * Makes sure that there is a latch with this nonce, keeping the one that is there already.
     *
     * @return the election at a moment after the latch was created
     */
    CompletableFuture<ElectionSnapshot> enter(Nonce nonce, String text) {
        long call = order.nextCall();
        order.claims(nonce);
        return inTurn(call, () -> enterSettled(nonce, text)).thenApply(snapshot -> {
            if (order.newestCall() != call) {
                throw overtaken(Effect.UNKNOWN);
            }
            return snapshot;
        });
    }

    /** Removes the latch of this nonce, or of an attempt before it; from now on none of these is granted, whatever arrives. */
    CompletableFuture<ReleaseReply> leave(Nonce nonce) {
        latch.filter(own -> order.isUpTo(own.nonce(), nonce)).ifPresent(OwnLatch::leave);
        return inTurn(
                order.nextCall(),
                () -> latch.filter(own -> order.isUpTo(own.nonce(), nonce))
                        .map(this::remove)
                        .orElseGet(() -> CompletableFuture.completedFuture(ReleaseReply.NOT_HELD)));
    }

    private <T> CompletableFuture<T> inTurn(long call, Supplier<CompletableFuture<T>> change) {
        CompletableFuture<T> changed = lastChange
                .thenCompose(done ->
                        order.newestCall() == call ? settle() : CompletableFuture.failedFuture(overtaken(Effect.NONE)))
                .thenCompose(settled -> change.get());
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        lastChange = ended;
        return changed.whenComplete((value, failure) -> ended.complete(true));
    }

    static BackendException overtaken(Effect effect) {
        return new BackendException(
                effect, Kind.UNREACHABLE, "this call was overtaken by a newer one for the same election");
    }

    private CompletableFuture<ElectionSnapshot> enterSettled(Nonce nonce, String text) {
        Optional<OwnLatch> standing = latch.filter(own -> own.nonce().equals(nonce));
        return standing.isEmpty()
                ? replace(nonce, text)
                : calls.readSynced(election, standing.get().path())
                        .thenCompose(snapshot -> proves(snapshot, standing.get())
                                ? CompletableFuture.completedFuture(snapshot)
                                : replace(nonce, text));
    }

    /** Does the latch stand in this snapshot, and is it the very one? */
    boolean proves(ElectionSnapshot snapshot, OwnLatch own) {
        return snapshot.own()
                        .filter(node -> own.isProvedBy(node, context.granted().sessionId()))
                        .isPresent()
                && snapshot.order().contains(own.name());
    }

    /** An older latch is removed first, and one that somebody has written over. */
    private CompletableFuture<ElectionSnapshot> replace(Nonce nonce, String text) {
        Optional<OwnLatch> old = latch;
        latch = Optional.empty();
        return old.map(own -> delete(own.path()))
                .orElseGet(() -> CompletableFuture.completedFuture(true))
                .exceptionally(failure -> {
                    old.ifPresent(own -> order.opened(own.nonce(), own.token()));
                    return false;
                })
                .thenCompose(removed -> create(nonce, text, ROUNDS_MAX))
                .exceptionallyCompose(failure -> {
                    if (Stages.effectOf(failure) != Effect.NONE) {
                        order.opened(nonce, Optional.empty());
                    }
                    return CompletableFuture.failedFuture(failure);
                });
    }

    /** A failure with {@link Effect#NONE} says that there is no latch and none will come; after any other there may be one. */
    private CompletableFuture<ElectionSnapshot> create(Nonce nonce, String text, int rounds) {
        String path = Paths.child(election, ParticipantOrder.prefix(nonce));
        Op creation = context.calls().creation(path, text, CreateMode.EPHEMERAL_SEQUENTIAL);
        CompletableFuture<ElectionSnapshot> entered = parentCreation()
                .thenCompose(parent -> calls.write(
                        parent.map(first -> List.of(first, creation)).orElseGet(() -> List.of(creation))))
                .thenCompose(made -> readBehindCreation(nonce, made.get(made.size() - 1)));
        return entered.exceptionallyCompose(failure -> {
            // The znode of the election was removed (as containers are, when they are empty), or one above; or others
            // have made it.
            boolean outdated = ZooKeeperError.is(failure, Code.NONODE) || ZooKeeperError.is(failure, Code.NODEEXISTS);
            return outdated && rounds > 1
                    ? context.calls().ensure(election, "").thenCompose(made -> {
                        parentKnown = true;
                        return create(nonce, text, rounds - 1);
                    })
                    : entered;
        });
    }

    /**
     * What has to be created with the latch: the znode of the election, if it is not there. It is read first, because the whole transaction,
     * with the claims of others in it, would be refused if it is there already.
     */
    private CompletableFuture<Optional<Op>> parentCreation() {
        return parentKnown
                ? CompletableFuture.completedFuture(Optional.empty())
                : calls.readUnsynced(Op.getData(election))
                        .thenApply(found ->
                                found instanceof OpResult.ErrorResult error && error.getErr() == Code.NONODE.intValue()
                                        ? Optional.of(context.calls().creation(election, "", CreateMode.PERSISTENT))
                                        : Optional.empty());
    }

    /** The answer to a transaction does not have its number, which is the czxid: the latch itself does. */
    private CompletableFuture<ElectionSnapshot> readBehindCreation(Nonce nonce, OpResult made) {
        parentKnown = true;
        // The client leaves the chroot in this path, so only the name is taken.
        String path = Paths.child(election, Paths.name(((OpResult.CreateResult) made).getPath()));
        return calls.readUnsynced(election, path)
                .thenApply(snapshot -> {
                    latch = snapshot.own()
                            .map(node -> new OwnLatch(nonce, path, node.stat(), Optional.empty()))
                            .filter(own -> proves(snapshot, own));
                    if (latch.isEmpty()) {
                        throw new IllegalStateException("the latch was removed as soon as it stood");
                    }
                    return snapshot;
                })
                // Once the latch was created it may stand there, whatever fails afterwards.
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(new BackendException(
                        Effect.UNKNOWN,
                        Kind.UNREACHABLE,
                        "the election could not be read behind a claim: "
                                + Stages.rootOf(failure).getMessage(),
                        failure)));
    }

    /** Finds out what became of the attempts whose answers were lost, and keeps the newest latch of them. */
    private CompletableFuture<Boolean> settle() {
        if (order.open().isEmpty()) {
            return CompletableFuture.completedFuture(true);
        }
        // Not a sync: ZooKeeper's leader answers that of its own clients without waiting for what is proposed and not
        // yet agreed on.
        CompletableFuture<?> committed = context.calls()
                .write(List.of(Op.check(context.settings().paths().era(), ZooKeeperCalls.ANY_VERSION)));
        CompletableFuture<List<String>> children =
                ZooKeeperError.orElse(context.calls().children(election), Code.NONODE, List.of());
        return committed
                .thenCompose(done -> children)
                .thenCompose(names -> ZooKeeperCalls.all(names.stream()
                        .filter(name -> ParticipantOrder.nonce(name)
                                .filter(order.open()::containsKey)
                                .isPresent())
                        .map(this::own)))
                .thenCompose(this::keepNewest);
    }

    private CompletableFuture<Boolean> keepNewest(List<Optional<OwnLatch>> found) {
        // The latch that is known may be among those that were found: it must not be removed as its own duplicate.
        Stream<OwnLatch> others = found.stream()
                .flatMap(Optional::stream)
                .filter(one ->
                        latch.filter(known -> known.path().equals(one.path())).isEmpty());
        List<OwnLatch> own = Stream.concat(others, latch.stream())
                .sorted(Comparator.<OwnLatch>comparingInt(one -> order.order(one.nonce()))
                        .thenComparingLong(OwnLatch::czxid))
                .toList();
        latch = own.isEmpty() ? Optional.empty() : Optional.of(own.get(own.size() - 1));
        return ZooKeeperCalls.all(
                        own.stream().limit(Math.max(0, own.size() - 1)).map(one -> delete(one.path())))
                .thenApply(removed -> {
                    order.settledIf((nonce, token) -> true);
                    return true;
                });
    }

    /** A nonce in a name is no proof: only the session that created a latch owns it. */
    private CompletableFuture<Optional<OwnLatch>> own(String name) {
        String path = Paths.child(election, name);
        Nonce nonce = ParticipantOrder.nonce(name).orElseThrow();
        CompletableFuture<Optional<OwnLatch>> found = context.calls()
                .get(path)
                .thenApply(node -> Optional.of(node.stat())
                        .filter(stat ->
                                stat.getEphemeralOwner() == context.granted().sessionId())
                        .map(stat ->
                                new OwnLatch(nonce, path, stat, order.open().getOrDefault(nonce, Optional.empty()))));
        return ZooKeeperError.orElse(found, Code.NONODE, Optional.empty());
    }

    /** The end of its term is recorded in the same transaction. */
    private CompletableFuture<ReleaseReply> remove(OwnLatch own) {
        own.leave();
        latch = Optional.empty();
        List<Op> writes = new ArrayList<>(List.of(Op.delete(own.path(), ZooKeeperCalls.ANY_VERSION)));
        own.term(false, context).ifPresent(term -> writes.add(ZooKeeperCalls.change(election, term.text())));
        CompletableFuture<Boolean> removed =
                ZooKeeperError.orElse(calls.write(writes).thenApply(done -> true), Code.NONODE, false);
        // Where the user may only remove the latch, that is done: the record of the term decides nothing.
        return ZooKeeperError.recover(removed, Code.NOAUTH, () -> delete(own.path()))
                .thenApply(was -> was ? ReleaseReply.RELEASED : ReleaseReply.NOT_HELD)
                .exceptionallyCompose(failure -> {
                    order.opened(own.nonce(), own.token());
                    return CompletableFuture.failedFuture(failure);
                });
    }

    /** False if it was gone already. */
    private CompletableFuture<Boolean> delete(String path) {
        return ZooKeeperError.orElse(context.calls().delete(path, ZooKeeperCalls.ANY_VERSION), Code.NONODE, false);
    }
}
