// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.peers.connection.PeerMessage.LeaderRecord;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.support.Batcher;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Decides which claim at this member gets an election that its machine has won. One term is granted once: to one claim, under one nonce,
 * and only after a majority keeps the {@link LeaderRecord}, and after a majority has answered what the leader sent since its session was
 * last renewed (the session may believe for so long).
 *
 * <p>An election takes its time, right after the start more than a whole lease. The session that asks is notified in time that its place is
 * kept, and its grant is pushed: if it had to give up the question and asked under another nonce, the term won for the first would be lost.
 */
final class ClaimGrants {
    private final ElectionInstance instance;
    private final Member member;
    private final Map<PeersSession, Claim> queue = new LinkedHashMap<>();
    private Optional<Grant> grant = Optional.empty();

    /** One wish to lead, and the answer to the session that asked for it first. */
    private record Claim(ClaimRequest request, CompletableFuture<ClaimReply> reply) {
        boolean isFor(Nonce nonce) {
            return request.nonce().equals(nonce);
        }

        void supersede() {
            reply.completeExceptionally(Batcher.overtaken());
        }
    }

    private enum Stage {
        TELLING,
        /** A majority has the record. */
        KEPT,
        GRANTED
    }

    /** A term of this member that belongs to one claim. */
    private record Grant(PeersSession session, Claim claim, LeaderRecord record, boolean takeover, Stage stage) {
        Grant at(Stage next) {
            return new Grant(session, claim, record, takeover, next);
        }

        boolean isGranted() {
            return stage == Stage.GRANTED;
        }

        boolean isFor(Nonce nonce) {
            return claim.isFor(nonce);
        }
    }

    ClaimGrants(ElectionInstance instance, Member member) {
        this.instance = instance;
        this.member = member;
    }

    boolean isWanted() {
        return !queue.isEmpty();
    }

    boolean holds(FencingToken token) {
        return grant.filter(held -> held.isGranted() && held.record().token().equals(token))
                .isPresent();
    }

    /** Within the lease nobody else can have been elected: no question to the others is needed. */
    boolean holds(PeersSession session, Term term) {
        boolean leads = instance.lead()
                .filter(lead -> member.host.nanos() < lead.untilNanos())
                .isPresent();
        return leads
                && holds(term.token())
                && of(session).filter(held -> held.isFor(term.nonce())).isPresent();
    }

    Optional<PeersSession> holder() {
        return grant.filter(Grant::isGranted).map(Grant::session);
    }

    private Optional<Grant> of(PeersSession session) {
        return grant.filter(held -> held.session() == session);
    }

    /** Asking again under the same nonce keeps a place; another nonce takes it over. */
    CompletableFuture<ClaimReply> claim(PeersSession session, ClaimRequest request) {
        Optional<Grant> mine = of(session);
        if (mine.filter(held -> held.isFor(request.nonce())).isPresent()) {
            return CompletableFuture.completedFuture(mine.get().isGranted() ? granted(mine.get()) : waiting());
        }
        mine.ifPresent(other -> {
            var unused = giveUp(other, LeaderRecord.Fate.RELEASED);
        });
        Claim claim = new Claim(request, new CompletableFuture<>());
        Optional.ofNullable(queue.put(session, claim)).ifPresent(before -> {
            if (before.isFor(request.nonce())) {
                before.reply().complete(waiting());
            } else {
                before.supersede();
            }
        });
        instance.stand();
        if (instance.alive().isPresent()) {
            claim.reply().complete(waiting());
        }
        long byNanos = member.host.nanos() + member.settings.profile().replyWithinNanos();
        member.host.wakeAt(byNanos, () -> claim.reply().complete(waiting()));
        return claim.reply();
    }

    private ClaimReply waiting() {
        return new ClaimReply.Waiting(instance.alive().map(LeaderRecord::leader), true);
    }

    CompletableFuture<ReleaseReply> release(PeersSession session, Nonce nonce) {
        boolean queued = drop(session).filter(claim -> claim.isFor(nonce)).isPresent();
        Optional<Grant> mine = of(session).filter(held -> held.isFor(nonce) || !held.isGranted());
        boolean found = queued || mine.filter(held -> held.isFor(nonce)).isPresent();
        return leave(mine, LeaderRecord.Fate.RELEASED)
                .thenApply(left -> found ? ReleaseReply.RELEASED : ReleaseReply.NOT_HELD);
    }

    /** The session has ended, by a word or without one. */
    CompletableFuture<?> leave(PeersSession session, LeaderRecord.Fate fate) {
        drop(session);
        return leave(of(session), fate);
    }

    private Optional<Claim> drop(PeersSession session) {
        Optional<Claim> queued = Optional.ofNullable(queue.remove(session));
        queued.ifPresent(Claim::supersede);
        return queued;
    }

    private CompletableFuture<?> leave(Optional<Grant> mine, LeaderRecord.Fate fate) {
        if (mine.isPresent()) {
            return giveUp(mine.get(), fate);
        }
        rest();
        return CompletableFuture.completedFuture(true);
    }

    private CompletableFuture<?> giveUp(Grant held, LeaderRecord.Fate fate) {
        grant = Optional.empty();
        held.claim().supersede();
        held.session().noLongerHolds(instance);
        LeaderRecord last = held.record().become(fate);
        instance.keep(last);
        CompletableFuture<?> kept = member.putToAll(last);
        instance.resign();
        rest();
        if (instance.lead().isPresent()) {
            next();
        }
        return kept;
    }

    private void rest() {
        if (queue.isEmpty() && grant.isEmpty()) {
            instance.standDown();
        }
    }

    /** The machine leads, or may believe for longer than before. */
    void leads() {
        if (instance.lead().isEmpty()) {
            return;
        }
        long term = instance.lead().get().term();
        boolean otherTerm = member.settings.rules().hasTerms()
                && grant.filter(held -> held.record().token().sequence() != term)
                        .isPresent();
        if (otherTerm) {
            lost();
        }
        if (grant.isEmpty()) {
            next();
        } else {
            proceed();
        }
    }

    /** Gives the term to the claim that has waited longest; a term that no claim wants any more is handed on. */
    void next() {
        if (grant.isPresent()) {
            return;
        }
        if (queue.isEmpty()) {
            instance.resign();
            return;
        }
        PeersSession session = queue.keySet().iterator().next();
        Claim claim = Optional.ofNullable(queue.remove(session)).orElseThrow();
        boolean takeover = instance.record()
                .filter(last -> last.fate() != LeaderRecord.Fate.RELEASED)
                .isPresent();
        ClaimRequest request = claim.request();
        LeaderRecord record = new LeaderRecord(
                new Term(instance.election, member.token(instance), request.nonce(), request.holder()),
                1,
                member.settings.membership().self().id(),
                member.host.wallMillis(),
                request.metadata(),
                LeaderRecord.Fate.HELD);
        report(new Grant(session, claim, record, takeover, Stage.TELLING));
    }

    private void report(Grant telling) {
        grant = Optional.of(telling);
        instance.keep(telling.record());
        var unused = member.put(telling.record()).whenComplete((answers, failure) -> {
            if (grant.equals(Optional.of(telling)) && !member.closed) {
                kept(telling, failure == null ? answers.highestEra() : 0, failure == null);
            }
        });
    }

    private void kept(Grant told, int highestEra, boolean byMajority) {
        FencingToken token = told.record().token();
        if (!byMajority || highestEra > token.era()) {
            FencingToken raised = FencingToken.of(Math.max(highestEra, token.era()), token.sequence());
            LeaderRecord again = told.record().under(raised);
            report(new Grant(told.session(), told.claim(), again, told.takeover(), Stage.TELLING));
            return;
        }
        grant = Optional.of(told.at(Stage.KEPT));
        if (instance.confirmedNanos() < told.session().renewedNanos()) {
            instance.beat();
        }
        proceed();
    }

    private void proceed() {
        Grant held = grant.orElseThrow();
        boolean confirmed = instance.confirmedNanos() >= held.session().renewedNanos();
        if (held.isGranted()) {
            held.session().confirmed(instance);
        } else if (held.stage() == Stage.KEPT && confirmed && instance.lead().isPresent()) {
            grant = Optional.of(held.at(Stage.GRANTED));
            held.session().nowHolds(instance);
            if (!held.claim().reply().complete(granted(held))) {
                held.session().push(instance.election, granted(held));
            }
        }
    }

    private ClaimReply.Granted granted(Grant granted) {
        Duration standoff = granted.takeover() && !member.settings.rules().hasTerms()
                ? member.settings.profile().ttl()
                : Duration.ZERO;
        return new ClaimReply.Granted(
                granted.record().token(), granted.record().term().nonce(), granted.takeover(), standoff);
    }

    /** The machine leads no longer, against its will; or leads another term. */
    void lost() {
        Optional<Grant> had = grant;
        grant = Optional.empty();
        had.ifPresent(held -> {
            if (held.isGranted()) {
                held.session().lost(instance);
                rest();
            } else {
                queue.put(held.session(), held.claim());
            }
        });
    }
}
