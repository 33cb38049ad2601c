package dev.tenure.zookeeper.claim;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.support.ClaimOrder;
import dev.tenure.spi.support.Stages;
import dev.tenure.zookeeper.claim.LatchCreator.Entered;
import dev.tenure.zookeeper.client.Paths;
import dev.tenure.zookeeper.client.ZooKeeperError;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;

/**
 * What one session has in one election: at most one latch. Creates it and removes it. Loop-confined.
 *
 * <p>A creation whose answer was lost may have been applied, or may be about to be. ZooKeeper does not apply it after the
 * client has come back on another connection: the leader refuses what an older connection of the session sent ("session
 * moved"), and one connection keeps its order. What the leader has proposed already is settled before a transaction that
 * comes later. So once the client is back, a list of the children behind such a transaction is final: a latch with a nonce of
 * ours that belongs to this session is ours, and one that is not there will not come.
 */
final class LatchEntry {
    private final SessionContext context;
    private final LatchCandidacies.Shared shared;
    private final ElectionName name;
    /** Open claims are nonces whose latch may be there or not, with the token if one was granted. */
    private final ClaimOrder<Optional<FencingToken>> order = new ClaimOrder<>();

    private Optional<OwnLatch> latch = Optional.empty();
    private int participants = 1;
    private boolean parentKnown;

    LatchEntry(SessionContext context, LatchCandidacies.Shared shared, ElectionName name) {
        this.context = context;
        this.shared = shared;
        this.name = name;
    }

    /** Not kept: there are very many entries. */
    private String election() {
        return context.settings().paths().election(name);
    }

    Optional<OwnLatch> latch() {
        return latch;
    }

    boolean has(OwnLatch own) {
        return latch.isPresent() && latch.get() == own && !own.isLeaving();
    }

    void attempt(Nonce nonce) {
        order.claims(nonce);
    }

    /** From now on nothing of this attempt or one before it is granted, whatever arrives. */
    void stopGranting(Nonce nonce) {
        if (isUpTo(nonce)) {
            latch.orElseThrow().leave();
        }
    }

    /** Is there a latch, of this attempt or of one before it? */
    private boolean isUpTo(Nonce nonce) {
        return latch.isPresent() && order.isUpTo(latch.get().nonce(), nonce);
    }

    /** Makes sure that there is a latch with this nonce, keeping the one that is there already. */
    CompletableFuture<Entered> enter(Nonce nonce, String text) {
        return order.open().isEmpty()
                ? enterSettled(nonce, text)
                : settle().thenCompose(settled -> enterSettled(nonce, text));
    }

    private CompletableFuture<Entered> enterSettled(Nonce nonce, String text) {
        Optional<OwnLatch> standing = latch.filter(own -> own.nonce().equals(nonce));
        return standing.isPresent() ? keep(standing.get(), text) : create(nonce, text);
    }

    private CompletableFuture<Entered> keep(OwnLatch standing, String text) {
        return readSynced(standing).thenCompose(snapshot -> {
            if (proves(snapshot, standing)) {
                return CompletableFuture.completedFuture(new Entered(standing, snapshot));
            }
            latch = Optional.empty();
            return create(standing.nonce(), text);
        });
    }

    /** The election now, by a linearizable read. */
    CompletableFuture<ElectionSnapshot> readSynced(OwnLatch own) {
        return shared.snapshots().readSynced(election(), own.path(election()), participants);
    }

    /** The election after the latch in front of this one has gone, as this connection was notified. */
    CompletableFuture<ElectionSnapshot> readBehindNotification(OwnLatch own) {
        return shared.snapshots().readBehindNotification(election(), own.path(election()), participants);
    }

    /** Does the latch stand in this snapshot, and is it the very one? */
    boolean proves(ElectionSnapshot snapshot, OwnLatch own) {
        participants = snapshot.order().names().size();
        return snapshot.own()
                        .filter(node -> own.isProvedBy(node, context.granted().sessionId()))
                        .isPresent()
                && snapshot.order().contains(own.name());
    }

    /** An older latch is removed first; ZooKeeper keeps the order of requests on one connection. */
    private CompletableFuture<Entered> create(Nonce nonce, String text) {
        Optional<OwnLatch> old = latch;
        latch = Optional.empty();
        CompletableFuture<Boolean> oldRemoved = old.map(own -> shared.remover().delete(own.path(election())))
                .orElseGet(() -> CompletableFuture.completedFuture(true))
                .exceptionally(failure -> {
                    old.ifPresent(own -> order.opened(own.nonce(), own.token()));
                    return false;
                });
        CompletableFuture<Entered> entered = shared.creator().create(election(), nonce, text, parentKnown);
        parentKnown = true;
        return oldRemoved
                .thenCompose(done -> entered)
                .thenApply(in -> {
                    latch = Optional.of(in.latch());
                    participants = in.snapshot().order().names().size();
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
        CompletableFuture<?> committed =
                context.calls().commitBarrier(context.settings().paths().era());
        CompletableFuture<List<String>> children =
                ZooKeeperError.orElse(context.calls().children(election()), Code.NONODE, List.of());
        return committed
                .thenCompose(done -> children)
                .thenCompose(this::ownAmong)
                .thenCompose(this::keepNewest);
    }

    private CompletableFuture<Boolean> keepNewest(List<OwnLatch> found) {
        latch.ifPresent(found::add);
        found.sort(Comparator.comparingInt((OwnLatch own) -> order.order(own.nonce())));
        latch = found.isEmpty() ? Optional.empty() : Optional.of(found.remove(found.size() - 1));
        CompletableFuture<Boolean> removed = CompletableFuture.completedFuture(true);
        for (OwnLatch duplicate : found) {
            CompletableFuture<Boolean> one = shared.remover().delete(duplicate.path(election()));
            removed = removed.thenCompose(done -> one);
        }
        return removed.thenApply(done -> {
            order.settledIf((nonce, token) -> true);
            return true;
        });
    }

    private CompletableFuture<List<OwnLatch>> ownAmong(List<String> children) {
        CompletableFuture<List<OwnLatch>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (String child : children) {
            Optional<Nonce> nonce = ParticipantOrder.nonce(child).filter(order.open()::containsKey);
            if (nonce.isPresent()) {
                CompletableFuture<Optional<OwnLatch>> one = own(Paths.child(election(), child), nonce.get());
                all = all.thenCombine(one, (found, own) -> {
                    own.ifPresent(found::add);
                    return found;
                });
            }
        }
        return all;
    }

    /** A nonce in a name is no proof: only the session that created a latch owns it. */
    private CompletableFuture<Optional<OwnLatch>> own(String path, Nonce nonce) {
        CompletableFuture<Optional<OwnLatch>> found = context.calls()
                .get(path)
                .thenApply(node ->
                        node.stat().getEphemeralOwner() == context.granted().sessionId()
                                ? Optional.of(new OwnLatch(
                                        nonce, path, node.stat(), order.open().getOrDefault(nonce, Optional.empty())))
                                : Optional.empty());
        return ZooKeeperError.orElse(found, Code.NONODE, Optional.empty());
    }

    /** Removes the latch of this nonce, or of an attempt before it. */
    CompletableFuture<ReleaseReply> leave(Nonce nonce) {
        return order.open().isEmpty() ? leaveSettled(nonce) : settle().thenCompose(settled -> leaveSettled(nonce));
    }

    private CompletableFuture<ReleaseReply> leaveSettled(Nonce nonce) {
        return isUpTo(nonce) ? remove(latch.orElseThrow()) : CompletableFuture.completedFuture(ReleaseReply.NOT_HELD);
    }

    private CompletableFuture<ReleaseReply> remove(OwnLatch own) {
        own.leave();
        latch = Optional.empty();
        String election = election();
        return shared.remover()
                .remove(election, own.path(election), own.term(false, context.granted()))
                .thenApply(was -> was ? ReleaseReply.RELEASED : ReleaseReply.NOT_HELD)
                .exceptionallyCompose(failure -> {
                    order.opened(own.nonce(), own.token());
                    return CompletableFuture.failedFuture(failure);
                });
    }
}
