// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.claim;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.TermRecord;
import dev.tenure.zookeeper.claim.ParticipantOrder.Participant;
import dev.tenure.zookeeper.client.Paths;
import dev.tenure.zookeeper.client.ZooKeeperCalls.Znode;
import dev.tenure.zookeeper.client.ZooKeeperError;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * One session standing in one election: answers claims, and finds out when a claim that waits has come to the front.
 * Loop-confined.
 *
 * <p>A claim that waits watches the latch right before its own and no other, so the end of one latch wakes one process. One read
 * then proves that the own latch is the first and still stands. A candidate that was the first once stays so until its own latch goes:
 * sequences grow, and a latch cannot come back.
 */
public final class LatchCandidacy {
    /** No session lasts longer, so a damaged or hostile record must not make a successor wait for years. */
    private static final Duration BELIEF_MAX = Duration.ofHours(1);

    private final LatchCandidacies all;
    private final SessionContext context;
    private final ElectionName election;
    private final String path;
    private final LatchEntry entry;
    /** Empty unless the latch in front is watched on this connection. */
    private Optional<Awaited> awaited = Optional.empty();

    /** The latch that was last reported as one that does not go by itself. */
    private String reportedStuck = "";

    LatchCandidacy(LatchCandidacies all, ElectionName election) {
        this.all = all;
        this.context = all.context();
        this.election = election;
        this.path = context.settings().paths().election(election);
        this.entry = new LatchEntry(context, all.calls(), path);
    }

    /**
     * What a claim waits for.
     *
     * @param before the latch in front of the own one, which is watched
     * @param first the latch that leads
     */
    private record Awaited(String before, String first, CompletableFuture<ClaimReply> answer) {
        boolean isAnswered() {
            return answer.isDone() && !answer.isCompletedExceptionally();
        }
    }

    public CompletableFuture<ClaimReply> claim(ClaimRequest request) {
        Optional<OwnLatch> waiting = waiting().filter(own -> own.nonce().equals(request.nonce()) && entry.isIdle());
        return waiting.isPresent() ? repeat(waiting.get(), awaited.orElseThrow()) : claimAnew(request);
    }

    /** The own latch, if it waits and the end of the one in front will be notified, and its own end too. */
    private Optional<OwnLatch> waiting() {
        boolean answered = awaited.filter(Awaited::isAnswered).isPresent();
        return entry.latch()
                .filter(own -> answered && isCurrent(own))
                .filter(own -> own.token().isEmpty() && own.isWatched() && !own.isGone());
    }

    /**
     * A claim that waits is asked for again and again. One connection keeps its order, so whatever an acknowledged renewal could have
     * shown was notified before it: the answer is still the same. Only the claim right behind the leader is notified when the leader
     * changes; the others look now and then.
     */
    private CompletableFuture<ClaimReply> repeat(OwnLatch own, Awaited known) {
        return known.first.equals(known.before) || !all.mayLook()
                ? known.answer
                : all.calls()
                        .readUnsynced(path, own.path())
                        .thenCompose(snapshot -> snapshot.order().isFirst(known.first) ? known.answer : readAgain(own));
    }

    private CompletableFuture<ClaimReply> claimAnew(ClaimRequest request) {
        return entry.enter(request.nonce(), Participant.text(request))
                .thenCompose(snapshot -> answer(entry.latch().orElseThrow(), snapshot));
    }

    /** @param snapshot proves that the own latch stands */
    private CompletableFuture<ClaimReply> answer(OwnLatch own, ElectionSnapshot snapshot) {
        context.eraSeen().accept(snapshot.era());
        if (context.isOver()) {
            throw LatchEntry.overtaken(Effect.UNKNOWN);
        }
        return snapshot.order().isFirst(own.name())
                ? CompletableFuture.completedFuture(grant(own, snapshot))
                : queue(own, snapshot);
    }

    private ClaimReply grant(OwnLatch own, ElectionSnapshot snapshot) {
        int era = snapshot.era().orElseThrow().era();
        FencingToken token = own.token().orElseGet(() -> ElectionSnapshot.token(era, own.czxid()));
        Optional<TermRecord> before = snapshot.before(own.czxid());
        boolean overtaken = !entry.has(own);
        if (before.isPresent() && (overtaken || !token.isNewerThan(before.get().token()))) {
            context.events()
                    .tokenObserved(election, before.get().token().value()); // else the grant itself has a higher one
        }
        if (overtaken) {
            throw LatchEntry.overtaken(Effect.UNKNOWN);
        }
        awaited = Optional.empty();
        if (own.token().isEmpty()) {
            own.grant(token, context.host().wallMillis());
            watchOwn();
            all.calls().record(path, own.path(), own.term(true, context).orElseThrow(), () -> isCurrent(own));
        }
        boolean unclean = before.isPresent() && before.get().isHeldByAnother(context.id());
        return new ClaimReply.Granted(
                token, own.nonce(), unclean, unclean ? believed(before.get().ttl()) : Duration.ZERO);
    }

    static Duration believed(Duration ttl) {
        return ttl.compareTo(BELIEF_MAX) > 0 ? BELIEF_MAX : ttl;
    }

    /**
     * Watches the latch in front and reads who leads. If either has gone meanwhile, reads the election again: then fewer are in
     * front.
     */
    private CompletableFuture<ClaimReply> queue(OwnLatch own, ElectionSnapshot snapshot) {
        String before = snapshot.order().before(own.name()).orElseThrow();
        String first = snapshot.order().first().orElseThrow();
        watchOwn();
        CompletableFuture<Znode> watched = context.calls().get(Paths.child(path, before), all.watcher());
        CompletableFuture<Znode> leading =
                first.equals(before) ? watched : context.calls().get(Paths.child(path, first));
        CompletableFuture<ClaimReply> waiting = watched.thenCombine(leading, (done, node) -> node)
                .thenApply(node -> leader(snapshot, first, node))
                .thenApply(leader -> new ClaimReply.Waiting(Optional.of(leader), true));
        awaited = Optional.of(new Awaited(before, first, waiting));
        return ZooKeeperError.recover(waiting, Code.NONODE, () -> readAgain(own));
    }

    private Leader leader(ElectionSnapshot snapshot, String first, Znode node) {
        Leader leader = snapshot.leader(
                election, first, node, snapshot.era().orElseThrow().era(), context.settings());
        boolean stuck = leader.foreign().filter(Leader.Foreign::stuck).isPresent();
        if (stuck && !first.equals(reportedStuck)) {
            reportedStuck = first; // once for each latch, and not with every claim
            context.events().blocked(election, ElectionSnapshot.stuckHolder(Paths.child(path, first), leader));
        }
        return leader;
    }

    private CompletableFuture<ClaimReply> readAgain(OwnLatch own) {
        return answerIfProved(own, all.calls().readSynced(path, own.path()));
    }

    private CompletableFuture<ClaimReply> answerIfProved(OwnLatch own, CompletableFuture<ElectionSnapshot> read) {
        return read.thenCompose(snapshot -> entry.proves(snapshot, own) && entry.has(own)
                ? answer(own, snapshot)
                : CompletableFuture.failedFuture(
                        BackendException.unknown("the latch of this claim was removed while the election was read")));
    }

    /** Something happened to the own latch, or to the one in front of it. */
    void onWatchEvent(String latch, EventType type) {
        Optional<OwnLatch> current = entry.latch().filter(this::isCurrent);
        if (current.isEmpty()) {
            return;
        }
        OwnLatch own = current.get();
        if (own.path().equals(latch)) {
            ownChanged(own, type);
        } else if (own.token().isEmpty()) { // else what stood in front of it has been gone for long
            awaited = Optional.empty();
            report(
                    own,
                    type == EventType.NodeDeleted
                            ? answerIfProved(own, all.calls().readUnsynced(path, own.path()))
                            : readAgain(own));
        }
    }

    private void ownChanged(OwnLatch own, EventType type) {
        own.watched(false);
        if (type == EventType.NodeDeleted) {
            own.gone();
        } else {
            watchOwn();
        }
        reportChange(own);
    }

    private void report(OwnLatch own, CompletableFuture<ClaimReply> read) {
        Stages.ignore("a claim that was answered later", read.whenComplete((reply, failure) -> {
            if (!isCurrent(own)) {
                return;
            }
            if (reply instanceof ClaimReply.Granted granted) {
                context.events().granted(election, granted);
            } else if (failure != null) {
                context.events().changed(election);
            }
        }));
    }

    /** An operator may remove the latch of a leader, which must not learn that from its successor. */
    void watchOwn() {
        entry.latch().filter(own -> isCurrent(own) && !own.isWatched()).ifPresent(own -> {
            own.watched(true);
            all.watchRequested(context.calls()
                    .get(own.path(), all.watcher())
                    .thenApply(node -> true)
                    .exceptionallyCompose(failure -> watchFailed(own, failure)));
        });
    }

    /** The client sets the watches that stood; those whose request was lost with the connection are set here. */
    void reconnected() {
        awaited = Optional.empty(); // the next claim looks again
        watchOwn();
    }

    /** A watch that was lost with its connection is set again by {@link #reconnected}. */
    private CompletableFuture<Boolean> watchFailed(OwnLatch own, Throwable failure) {
        if (ZooKeeperError.is(failure, Code.NONODE)) {
            ownChanged(own, EventType.NodeDeleted);
            return CompletableFuture.completedFuture(true);
        }
        own.watched(false);
        return CompletableFuture.failedFuture(failure);
    }

    private boolean isCurrent(OwnLatch own) {
        return entry.has(own) && !context.isOver();
    }

    private void reportChange(OwnLatch own) {
        if (isCurrent(own)) {
            context.events().changed(election);
        }
    }

    /** The own latch, if it leads, or the one in front, if its end will be notified. */
    Optional<String> watchedLatch() {
        Optional<OwnLatch> leading =
                entry.latch().filter(own -> entry.has(own) && own.token().isPresent());
        return leading.isPresent()
                ? leading.map(OwnLatch::path)
                : waiting().flatMap(own -> awaited).map(known -> Paths.child(path, known.before));
    }

    public CompletableFuture<ReleaseReply> release(Nonce nonce) {
        return entry.leave(nonce);
    }

    public CompletableFuture<Boolean> holds(Term term) {
        Optional<OwnLatch> held = entry.latch()
                .filter(own -> own.nonce().equals(term.nonce())
                        && own.token().filter(term.token()::equals).isPresent()
                        && !own.isGone()); // then the servers have said so already
        return held.isPresent()
                ? all.calls()
                        .readSynced(path, held.get().path())
                        .thenApply(snapshot -> entry.proves(snapshot, held.get()))
                : CompletableFuture.completedFuture(false);
    }
}
