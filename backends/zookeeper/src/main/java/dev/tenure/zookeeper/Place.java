package dev.tenure.zookeeper;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.support.ClaimOrder;
import dev.tenure.spi.support.Stages;
import dev.tenure.zookeeper.Entrances.Entered;
import dev.tenure.zookeeper.wire.Code;
import dev.tenure.zookeeper.wire.OpResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What one session has in one election: at most one latch. Enters the queue and leaves it. Loop-confined.
 *
 * <p>A creation whose answer was lost may have been applied, or may be about to be. ZooKeeper does not apply it after the
 * client has come back on another connection: the leader refuses what an older connection of the session sent ("session
 * moved"), and one connection keeps its order. What the leader has proposed already is settled before a transaction that
 * comes later. So once the client is back, a look at the children behind such a transaction is final: what carries a nonce of
 * ours and belongs to this session is ours, and what is not there will not come.
 */
final class Place {
    private final SessionScene scene;
    private final ElectionName name;
    /** Open claims are nonces whose latch may be there or not, with the token if one was granted. */
    private final ClaimOrder<Optional<FencingToken>> order = new ClaimOrder<>();

    private Optional<Mine> mine = Optional.empty();
    private int crowd = 1;
    private boolean parentKnown;

    Place(SessionScene scene, ElectionName name) {
        this.scene = scene;
        this.name = name;
    }

    /** Not kept: there are very many places. */
    private String election() {
        return scene.settings().layout().election(name);
    }

    Optional<Mine> mine() {
        return mine;
    }

    boolean has(Mine latch) {
        return mine.isPresent() && mine.get() == latch && !latch.isLeaving();
    }

    void attempt(Nonce nonce) {
        order.claims(nonce);
    }

    /** From now on nothing of these attempts is granted, whatever arrives. */
    void stopGranting(Nonce nonce) {
        if (isUpTo(nonce)) {
            mine.orElseThrow().leave();
        }
    }

    /** Is there a latch, of this attempt or of one before it? */
    private boolean isUpTo(Nonce nonce) {
        return mine.isPresent() && order.isUpTo(mine.get().nonce(), nonce);
    }

    /** Has a latch with this nonce, keeping the one that is there already. */
    CompletableFuture<Entered> enter(Nonce nonce, byte[] data) {
        return order.open().isEmpty()
                ? enterSettled(nonce, data)
                : settle().thenCompose(settled -> enterSettled(nonce, data));
    }

    private CompletableFuture<Entered> enterSettled(Nonce nonce, byte[] data) {
        Optional<Mine> standing = mine.filter(latch -> latch.nonce().equals(nonce));
        return standing.isPresent() ? keep(standing.get(), data) : create(nonce, data);
    }

    private CompletableFuture<Entered> keep(Mine standing, byte[] data) {
        return look(standing).thenCompose(moment -> {
            if (proves(moment, standing)) {
                return CompletableFuture.completedFuture(new Entered(standing, moment));
            }
            mine = Optional.empty();
            return create(standing.nonce(), data);
        });
    }

    /** The election now, by a linearizable read. */
    CompletableFuture<Moment> look(Mine latch) {
        return scene.traffic().looks().now(election(), latch.path(election()), crowd);
    }

    /** The election after the latch in front of this one has gone, as this connection was told. */
    CompletableFuture<Moment> lookBehindNotification(Mine latch) {
        return scene.traffic().looks().behindNotification(election(), latch.path(election()), crowd);
    }

    /** Does the latch stand in the election at this moment, and is it the very one? */
    boolean proves(Moment moment, Mine latch) {
        crowd = moment.latch().names().size();
        return moment.own().isPresent()
                && latch.isProvedBy(moment.own().get(), scene.sessionId())
                && moment.latch().contains(latch.name());
    }

    /** Does it, and is it the first? */
    boolean provesFirst(Moment moment, Sought latch) {
        crowd = moment.latch().names().size();
        return latch.isFirstIn(moment, scene.sessionId());
    }

    /** An older latch is removed first; ZooKeeper keeps the order of what one connection asks for. */
    private CompletableFuture<Entered> create(Nonce nonce, byte[] data) {
        Optional<Mine> old = mine;
        mine = Optional.empty();
        CompletableFuture<Boolean> settledOld = old.map(
                        latch -> scene.traffic().exits().deleted(latch.path(election())))
                .orElseGet(() -> CompletableFuture.completedFuture(true))
                .exceptionally(failure -> {
                    old.ifPresent(latch -> order.opened(latch.nonce(), latch.token()));
                    return false;
                });
        CompletableFuture<Entered> entered = scene.traffic().entrances().enter(election(), nonce, data, parentKnown);
        parentKnown = true;
        return settledOld
                .thenCompose(done -> entered)
                .thenApply(in -> {
                    mine = Optional.of(in.mine());
                    crowd = in.moment().latch().names().size();
                    return in;
                })
                .exceptionallyCompose(failure -> {
                    parentKnown = false;
                    if (Stages.effectOf(failure) != Effect.NONE) {
                        order.opened(nonce, Optional.empty());
                    }
                    return CompletableFuture.failedFuture(failure);
                });
    }

    /** Finds out what became of the attempts whose answers were lost, and keeps the newest latch of them. */
    private CompletableFuture<Boolean> settle() {
        CompletableFuture<List<OpResult>> agreed =
                scene.calls().settleAll(scene.settings().layout().era());
        CompletableFuture<List<String>> children = scene.calls()
                .children(election())
                .exceptionallyCompose(failure -> StoreFailure.is(failure, Code.NONODE)
                        ? CompletableFuture.completedFuture(List.of())
                        : CompletableFuture.failedFuture(failure));
        return agreed.thenCompose(done -> children).thenCompose(this::ownAmong).thenCompose(found -> {
            mine.ifPresent(found::add);
            found.sort(Comparator.comparingInt((Mine latch) -> order.order(latch.nonce())));
            mine = found.isEmpty() ? Optional.empty() : Optional.of(found.remove(found.size() - 1));
            CompletableFuture<Boolean> cleared = CompletableFuture.completedFuture(true);
            for (Mine duplicate : found) {
                CompletableFuture<Boolean> removed = scene.traffic().exits().deleted(duplicate.path(election()));
                cleared = cleared.thenCompose(done -> removed);
            }
            return cleared.thenApply(done -> {
                order.settledIf((nonce, token) -> true);
                return true;
            });
        });
    }

    private CompletableFuture<List<Mine>> ownAmong(List<String> children) {
        CompletableFuture<List<Mine>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (String child : children) {
            Optional<Nonce> nonce = Latch.nonce(child).filter(order.open()::containsKey);
            if (nonce.isPresent()) {
                CompletableFuture<Optional<Mine>> one = own(Layout.child(election(), child), nonce.get());
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
        return scene.calls()
                .get(path)
                .thenApply(node -> Optional.of(node)
                        .filter(found -> found.stat().ephemeralOwner() == scene.sessionId())
                        .map(found -> new Mine(
                                nonce, path, found.stat(), order.open().getOrDefault(nonce, Optional.empty()))))
                .exceptionallyCompose(failure -> StoreFailure.is(failure, Code.NONODE)
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : CompletableFuture.failedFuture(failure));
    }

    /** Gives up the latch of this nonce, or of an attempt before it. */
    CompletableFuture<ReleaseReply> leave(Nonce nonce) {
        return order.open().isEmpty() ? leaveSettled(nonce) : settle().thenCompose(settled -> leaveSettled(nonce));
    }

    private CompletableFuture<ReleaseReply> leaveSettled(Nonce nonce) {
        return isUpTo(nonce) ? remove(mine.orElseThrow()) : CompletableFuture.completedFuture(ReleaseReply.NOT_HELD);
    }

    private CompletableFuture<ReleaseReply> remove(Mine latch) {
        latch.leave();
        mine = Optional.empty();
        String election = election();
        return scene.traffic()
                .exits()
                .leave(election, latch.path(election), latch.term(false, scene.self()))
                .thenApply(was -> was ? ReleaseReply.RELEASED : ReleaseReply.NOT_HELD)
                .exceptionallyCompose(failure -> {
                    order.opened(latch.nonce(), latch.token());
                    return CompletableFuture.failedFuture(failure);
                });
    }
}
