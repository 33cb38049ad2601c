package dev.tenure.peers;

import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.ReleaseReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Who at this member gets an election that its machine has won. One term is granted once: to one claim, under one nonce, and only after a
 * majority keeps the {@link Holding}, and after a majority has answered what the leader sent since its session was last renewed (the
 * session may believe for so long).
 */
final class Seat {
    private final Contest contest;
    private final Member member;
    private final Map<PeersSession, Claim> queue = new LinkedHashMap<>();
    private Optional<Grant> grant = Optional.empty();

    /**
     * One wish to lead.
     *
     * @param asking who waits for a reply; nobody, once it was told to wait
     */
    private record Claim(ClaimRequest request, List<CompletableFuture<ClaimReply>> asking) {
        void answer(ClaimReply reply) {
            end(each -> each.complete(reply));
        }

        void supersede() {
            end(each -> each.completeExceptionally(Trouble.superseded()));
        }

        private void end(Consumer<CompletableFuture<ClaimReply>> with) {
            List<CompletableFuture<ClaimReply>> waiting = List.copyOf(asking);
            asking.clear();
            waiting.forEach(with);
        }
    }

    /** A term of this member that belongs to one claim. */
    private record Grant(PeersSession session, Claim claim, Holding holding, boolean takeover, Stage stage) {
        enum Stage {
            TELLING,
            /** A majority has the holding. */
            KEPT,
            GRANTED
        }

        Grant at(Stage next) {
            return new Grant(session, claim, holding, takeover, next);
        }

        boolean isGranted() {
            return stage == Stage.GRANTED;
        }

        boolean isFor(Nonce nonce) {
            return claim.request().nonce().equals(nonce);
        }
    }

    Seat(Contest contest, Member member) {
        this.contest = contest;
        this.member = member;
    }

    boolean isWanted() {
        return !queue.isEmpty();
    }

    boolean holds(FencingToken token) {
        return grant.filter(Grant::isGranted)
                .filter(held -> held.holding().token().equals(token))
                .isPresent();
    }

    /** Within the lease nobody else can have been elected: no question to the others is needed. */
    boolean holds(PeersSession session, Term term) {
        return holds(term.token())
                && contest.lead()
                        .filter(lead -> member.host.nanos() < lead.untilNanos())
                        .isPresent()
                && grant.filter(held -> held.session() == session && held.isFor(term.nonce()))
                        .isPresent();
    }

    Optional<PeersSession> holder() {
        return grant.filter(Grant::isGranted).map(Grant::session);
    }

    CompletableFuture<ClaimReply> claim(PeersSession session, ClaimRequest request) {
        CompletableFuture<ClaimReply> reply = new CompletableFuture<>();
        Optional<Grant> mine = grant.filter(held -> held.session() == session);
        if (mine.isPresent() && mine.get().isFor(request.nonce())) {
            mine.get().claim().asking().add(reply);
            if (mine.get().isGranted()) {
                answer(mine.get());
            } else {
                answerInTime(mine.get().claim(), reply);
            }
            return reply;
        }
        Claim claim;
        if (mine.isPresent() && !mine.get().isGranted()) {
            // Nobody was told of the other nonce: the same term can be told of under this one.
            mine.get().claim().supersede();
            claim = new Claim(request, new ArrayList<>(List.of(reply)));
            Holding told = mine.get().holding();
            tell(session, claim, told.token(), told.version() + 1, mine.get().takeover());
        } else {
            mine.ifPresent(held -> {
                var unused = giveUp(held, Holding.Fate.RELEASED);
            });
            claim = queued(session, request);
            claim.asking().add(reply);
            contest.stand();
            tellWaiting();
        }
        answerInTime(claim, reply);
        return reply;
    }

    /**
     * An election takes its time, right after the start more than a whole lease. Whoever asks is told in time that its place is kept: if it
     * had to give up the question and asked under another nonce, the term won for the first would be lost.
     */
    private void answerInTime(Claim claim, CompletableFuture<ClaimReply> reply) {
        long byNanos = member.host.nanos() + member.settings.profile().replyWithinNanos();
        member.host.wakeAt(byNanos, () -> {
            if (claim.asking().removeIf(each -> each == reply)) {
                reply.complete(new ClaimReply.Waiting(Optional.empty(), true));
            }
        });
    }

    /** Asking again under the same nonce keeps a place; another nonce takes it over. */
    private Claim queued(PeersSession session, ClaimRequest request) {
        Optional<Claim> before = Optional.ofNullable(queue.get(session));
        if (before.isPresent() && before.get().request().nonce().equals(request.nonce())) {
            return before.get();
        }
        before.ifPresent(Claim::supersede);
        Claim claim = new Claim(request, new ArrayList<>());
        queue.put(session, claim);
        return claim;
    }

    /** Those who have to wait are told for whom, as soon as that is known; a grant is pushed to them later. */
    void tellWaiting() {
        contest.alive()
                .ifPresent(held -> queue.values()
                        .forEach(claim -> claim.answer(new ClaimReply.Waiting(Optional.of(held.leader()), true))));
    }

    CompletableFuture<ReleaseReply> release(PeersSession session, Nonce nonce) {
        boolean queued = drop(session, nonce);
        Optional<Grant> mine =
                grant.filter(held -> held.session() == session).filter(held -> held.isFor(nonce) || !held.isGranted());
        if (mine.isEmpty()) {
            rest();
            return CompletableFuture.completedFuture(queued ? ReleaseReply.RELEASED : ReleaseReply.NOT_HELD);
        }
        mine.get().claim().supersede();
        ReleaseReply reply = mine.get().isFor(nonce) ? ReleaseReply.RELEASED : ReleaseReply.NOT_HELD;
        return giveUp(mine.get(), Holding.Fate.RELEASED).thenApply(kept -> reply);
    }

    private boolean drop(PeersSession session, Nonce nonce) {
        Optional<Claim> queued = Optional.ofNullable(queue.remove(session));
        queued.ifPresent(Claim::supersede);
        return queued.filter(claim -> claim.request().nonce().equals(nonce)).isPresent();
    }

    /** The session has ended, by a word or without one. */
    CompletableFuture<?> leave(PeersSession session, Holding.Fate fate) {
        Optional.ofNullable(queue.remove(session)).ifPresent(Claim::supersede);
        Optional<Grant> mine = grant.filter(held -> held.session() == session);
        if (mine.isPresent()) {
            mine.get().claim().supersede();
            return giveUp(mine.get(), fate);
        }
        rest();
        return CompletableFuture.completedFuture(true);
    }

    private CompletableFuture<?> giveUp(Grant held, Holding.Fate fate) {
        grant = Optional.empty();
        held.session().noLongerHolds(contest);
        Holding last = held.holding().become(fate);
        contest.keep(last);
        CompletableFuture<?> kept = member.putToAll(last);
        contest.resign();
        rest();
        if (contest.lead().isPresent()) {
            next();
        }
        return kept;
    }

    private void rest() {
        if (queue.isEmpty() && grant.isEmpty()) {
            contest.standDown();
        }
    }

    /** The machine leads, or may believe for longer than before. */
    void leads() {
        if (contest.lead().isEmpty()) {
            return;
        }
        long term = contest.lead().get().term();
        boolean sameTerm = grant.isPresent()
                && (!member.settings.rules().hasTerms()
                        || grant.get().holding().token().sequence() == term);
        if (grant.isPresent() && !sameTerm) {
            lost();
        }
        if (grant.isEmpty()) {
            next();
        } else {
            proceed();
        }
    }

    /** Gives the term to whoever has waited longest; a term that nobody wants any more is handed on. */
    void next() {
        if (grant.isPresent()) {
            return;
        }
        if (queue.isEmpty()) {
            contest.resign();
            return;
        }
        PeersSession session = queue.keySet().iterator().next();
        Claim claim = Optional.ofNullable(queue.remove(session)).orElseThrow();
        Optional<Holding> before = contest.holding();
        boolean takeover =
                before.filter(last -> last.fate() != Holding.Fate.RELEASED).isPresent();
        tell(session, claim, member.token(contest, member.journal.era()), 1, takeover);
    }

    private void tell(PeersSession session, Claim claim, FencingToken token, int version, boolean takeover) {
        ClaimRequest request = claim.request();
        Holding holding = new Holding(
                contest.election,
                token,
                version,
                request.nonce(),
                member.settings.membership().self().id(),
                request.holder(),
                member.host.wallMillis(),
                request.card(),
                Holding.Fate.HELD);
        Grant telling = new Grant(session, claim, holding, takeover, Grant.Stage.TELLING);
        grant = Optional.of(telling);
        contest.keep(holding);
        var unused = member.put(holding).whenComplete((answers, failure) -> kept(telling, answers, failure));
    }

    private void kept(Grant told, PeerObserver.Answers answers, Throwable failure) {
        if (!grant.equals(Optional.of(told))) {
            return;
        }
        Holding holding = told.holding();
        FencingToken token = holding.token();
        int era = failure == null ? Math.max(answers.highestEra(), token.era()) : token.era();
        if (failure != null || era > token.era()) {
            FencingToken raised = FencingToken.of(era, token.sequence());
            tell(told.session(), told.claim(), raised, holding.version() + 1, told.takeover());
            return;
        }
        grant = Optional.of(told.at(Grant.Stage.KEPT));
        if (contest.confirmedNanos() < told.session().renewedNanos()) {
            contest.beat();
        }
        proceed();
    }

    private void proceed() {
        Grant held = grant.orElseThrow();
        if (held.isGranted()) {
            held.session().confirmed(contest);
            return;
        }
        boolean confirmed = contest.confirmedNanos() >= held.session().renewedNanos();
        if (held.stage() == Grant.Stage.KEPT && confirmed && contest.lead().isPresent()) {
            Grant granted = held.at(Grant.Stage.GRANTED);
            grant = Optional.of(granted);
            held.session().nowHolds(contest);
            answer(granted);
            tellWaiting();
        }
    }

    private void answer(Grant granted) {
        Duration standoff = granted.takeover() && !member.settings.rules().hasTerms()
                ? member.settings.profile().ttl()
                : Duration.ZERO;
        ClaimReply.Granted reply = new ClaimReply.Granted(
                granted.holding().token(), granted.claim().request().nonce(), granted.takeover(), standoff);
        if (granted.claim().asking().isEmpty()) {
            granted.session().push(contest.election, reply);
        } else {
            granted.claim().answer(reply);
        }
    }

    /** The machine leads no longer, against its will; or leads another term. */
    void lost() {
        Optional<Grant> had = grant;
        grant = Optional.empty();
        had.ifPresent(held -> {
            if (held.isGranted()) {
                held.session().lost(contest);
                rest();
            } else {
                queue.put(held.session(), held.claim());
            }
        });
    }
}
