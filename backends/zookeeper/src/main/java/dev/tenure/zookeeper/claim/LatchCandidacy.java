package dev.tenure.zookeeper.claim;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.StoreEra;
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
    private static final int ROUNDS_MAX = 5;
    /** No session lasts longer, so a damaged or hostile record must not make a successor wait for years. */
    private static final Duration BELIEF_MAX = Duration.ofHours(1);

    private final SessionContext context;
    private final LatchCandidacies.Shared shared;
    private final ElectionName election;
    private final LatchEntry entry;
    private final PerElectionSerializer calls = new PerElectionSerializer();
    /** Empty unless the latch in front is watched on this connection. */
    private Optional<Awaited> awaited = Optional.empty();

    /** The latch that was last reported as one that does not go by itself. */
    private String reportedStuck = "";

    LatchCandidacy(SessionContext context, LatchCandidacies.Shared shared, ElectionName election) {
        this.context = context;
        this.shared = shared;
        this.election = election;
        this.entry = new LatchEntry(context, shared, election);
    }

    /** What a claim waits for. */
    private static final class Awaited {
        private final String before;
        private final String first;
        private Optional<ClaimReply> answer = Optional.empty();

        /**
         * @param before the latch in front of the own one, which is watched
         * @param first the latch that leads
         */
        Awaited(String before, String first) {
            this.before = before;
            this.first = first;
        }

        ClaimReply answered(ClaimReply reply) {
            answer = Optional.of(reply);
            return reply;
        }
    }

    private String path() {
        return context.settings().paths().election(election);
    }

    public CompletableFuture<ClaimReply> claim(ClaimRequest request) {
        Optional<OwnLatch> waiting = waiting().filter(own -> own.nonce().equals(request.nonce()) && calls.isIdle());
        return waiting.isPresent() ? repeat(waiting.get(), awaited.orElseThrow()) : claimAnew(request);
    }

    /** The own latch, if it waits and the end of the one in front will be notified, and its own end too. */
    private Optional<OwnLatch> waiting() {
        boolean answered = awaited.filter(known -> known.answer.isPresent()).isPresent();
        return answered
                ? entry.latch()
                        .filter(this::isCurrent)
                        .filter(own -> own.token().isEmpty() && own.isWatched() && !own.isGone())
                : Optional.empty();
    }

    /**
     * A claim that waits is asked for again and again. One connection keeps its order, so whatever an acknowledged renewal could have
     * shown was notified before it: the answer is still the same. Only the claim right behind the leader is notified when the leader
     * changes; the others look now and then.
     */
    private CompletableFuture<ClaimReply> repeat(OwnLatch own, Awaited known) {
        CompletableFuture<ClaimReply> same = CompletableFuture.completedFuture(known.answer.orElseThrow());
        return known.first.equals(known.before) || !shared.snapshots().mayLook()
                ? same
                : entry.readBehindNotification(own)
                        .thenCompose(
                                snapshot -> snapshot.order().isFirst(known.first) ? same : readAgain(own, ROUNDS_MAX));
    }

    private CompletableFuture<ClaimReply> claimAnew(ClaimRequest request) {
        long call = calls.next();
        entry.attempt(request.nonce());
        String text = Participant.text(request);
        return calls.run(call, () -> entry.enter(request.nonce(), text)).thenCompose(entered -> {
            if (!calls.isNewest(call)) {
                throw PerElectionSerializer.overtaken(Effect.UNKNOWN);
            }
            return answer(entered.latch(), entered.snapshot(), ROUNDS_MAX);
        });
    }

    private CompletableFuture<ClaimReply> answer(OwnLatch own, ElectionSnapshot snapshot, int rounds) {
        if (!snapshot.order().contains(own.name())) {
            return CompletableFuture.failedFuture(vanished());
        }
        return snapshot.order().isFirst(own.name())
                ? context.era().get().thenApply(era -> grant(own, snapshot, era))
                : queue(own, snapshot, rounds);
    }

    private ClaimReply grant(OwnLatch own, ElectionSnapshot snapshot, StoreEra era) {
        FencingToken token = own.token().orElseGet(() -> ElectionSnapshot.token(era.era(), own.czxid()));
        Optional<TermRecord> before = snapshot.before(own.czxid());
        boolean overtaken = !entry.has(own);
        if (before.isPresent() && (overtaken || !token.isNewerThan(before.get().token()))) {
            context.events().seen(election, before.get().token().value()); // else the grant itself tells more
        }
        if (overtaken) {
            throw PerElectionSerializer.overtaken(Effect.UNKNOWN);
        }
        awaited = Optional.empty();
        if (own.token().isEmpty()) {
            own.grant(token, context.host().wallMillis());
            watchOwn();
            shared.terms().began(new BegunTerm(own));
        }
        boolean unclean = before.isPresent() && before.get().isHeldByAnother(context.id());
        return new ClaimReply.Granted(
                token, own.nonce(), unclean, unclean ? believed(before.get().ttl()) : Duration.ZERO);
    }

    static Duration believed(Duration ttl) {
        return ttl.compareTo(BELIEF_MAX) > 0 ? BELIEF_MAX : ttl;
    }

    /** The term of this latch, for as long as it lasts. */
    private final class BegunTerm implements TermRecordWriter.Begun {
        private final OwnLatch own;

        BegunTerm(OwnLatch own) {
            this.own = own;
        }

        @Override
        public Optional<TermRecordWriter.Entry> entry() {
            return isCurrent(own)
                    ? own.term(true, context.granted())
                            .map(term -> new TermRecordWriter.Entry(path(), own.path(path()), term))
                    : Optional.empty();
        }

        @Override
        public void latchMissing() {
            reportChange(own);
        }
    }

    /** Watches the latch in front and reads who leads. If either has gone meanwhile, reads the election again. */
    private CompletableFuture<ClaimReply> queue(OwnLatch own, ElectionSnapshot snapshot, int rounds) {
        String before = snapshot.order().before(own.name()).orElseThrow();
        String first = snapshot.order().first().orElseThrow();
        Awaited now = new Awaited(before, first);
        awaited = Optional.of(now);
        own.waits();
        watchOwn();
        CompletableFuture<Znode> watched = context.calls().get(Paths.child(path(), before), shared.watcher());
        CompletableFuture<Znode> leading =
                first.equals(before) ? watched : context.calls().get(Paths.child(path(), first));
        CompletableFuture<ClaimReply> waiting = watched.thenCombine(leading, (done, node) -> node)
                .thenCombine(context.era().get(), (node, era) -> leader(snapshot, first, node, era))
                .thenApply(leader -> now.answered(new ClaimReply.Waiting(Optional.of(leader), true)));
        return ZooKeeperError.recover(waiting, Code.NONODE, () -> rounds > 1 ? readAgain(own, rounds - 1) : waiting);
    }

    private Leader leader(ElectionSnapshot snapshot, String first, Znode node, StoreEra era) {
        Leader leader = snapshot.leader(election, first, node, era.era(), context.settings());
        boolean stuck = leader.foreign().filter(Leader.Foreign::stuck).isPresent();
        if (stuck && !first.equals(reportedStuck)) {
            reportedStuck = first; // once for each latch, and not with every claim
            context.events().stuck(election, ElectionSnapshot.stuckHolder(Paths.child(path(), first), leader));
        }
        return leader;
    }

    private CompletableFuture<ClaimReply> readAgain(OwnLatch own, int rounds) {
        return answerIfProved(own, entry.readSynced(own), rounds);
    }

    private CompletableFuture<ClaimReply> answerIfProved(
            OwnLatch own, CompletableFuture<ElectionSnapshot> read, int rounds) {
        return read.thenCompose(snapshot -> entry.proves(snapshot, own) && entry.has(own)
                ? answer(own, snapshot, rounds)
                : CompletableFuture.failedFuture(vanished()));
    }

    private static BackendException vanished() {
        return new BackendException(
                Effect.UNKNOWN, Kind.UNREACHABLE, "the latch of this claim was removed while the election was read");
    }

    /** Something happened to the own latch, or to the one in front of it. */
    void onWatchEvent(String path, EventType type) {
        Optional<OwnLatch> current = entry.latch().filter(this::isCurrent);
        if (current.isEmpty()) {
            return;
        }
        OwnLatch own = current.get();
        if (own.path(path()).equals(path)) {
            ownChanged(own, type);
        } else if (own.token().isEmpty()) { // else what stood in front of it has been gone for long
            awaited = Optional.empty();
            report(
                    own,
                    answerIfProved(
                            own,
                            type == EventType.NodeDeleted ? entry.readBehindNotification(own) : entry.readSynced(own),
                            ROUNDS_MAX));
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
        Optional<OwnLatch> unwatched =
                entry.latch().filter(this::isCurrent).filter(own -> !own.isWatched() && !own.isGone());
        unwatched.ifPresent(own -> {
            own.watched(true);
            shared.watches()
                    .add(context.calls()
                            .get(own.path(path()), shared.watcher())
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
        own.watched(false);
        if (!ZooKeeperError.is(failure, Code.NONODE)) {
            return CompletableFuture.failedFuture(failure);
        }
        own.gone();
        reportChange(own);
        return CompletableFuture.completedFuture(true);
    }

    private boolean isCurrent(OwnLatch own) {
        return entry.has(own) && !context.isOver();
    }

    private void reportChange(OwnLatch own) {
        if (isCurrent(own)) {
            context.events().changed(election);
        }
    }

    /** The path of the own latch, if it leads. */
    Optional<String> ledLatch() {
        return entry.latch()
                .filter(own -> entry.has(own) && own.token().isPresent())
                .map(own -> own.path(path()));
    }

    /** The path of the latch in front, if its end will be notified. */
    Optional<String> awaitedLatch() {
        return waiting().flatMap(own -> awaited).map(known -> Paths.child(path(), known.before));
    }

    /** A renewal has shown that this latch is not there, and nothing was notified. */
    public void latchMissing(String latch) {
        boolean inFront = awaitedLatch().filter(latch::equals).isPresent();
        if (inFront) {
            awaited = Optional.empty();
        }
        entry.latch().filter(own -> inFront || own.path(path()).equals(latch)).ifPresent(this::reportChange);
    }

    public CompletableFuture<ReleaseReply> release(Nonce nonce) {
        long call = calls.next();
        entry.stopGranting(nonce);
        return calls.run(call, () -> entry.leave(nonce));
    }

    public CompletableFuture<Boolean> holds(Term term) {
        Optional<OwnLatch> held = entry.latch()
                .filter(own -> own.nonce().equals(term.nonce())
                        && own.token().filter(term.token()::equals).isPresent()
                        && !own.isGone()); // then the servers have said so already
        return held.isPresent()
                ? entry.readSynced(held.get()).thenApply(snapshot -> entry.proves(snapshot, held.get()))
                : CompletableFuture.completedFuture(false);
    }
}
