package dev.tenure.internal.lease;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Host;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.WriteReply;
import dev.tenure.spi.support.RequestRecord;
import dev.tenure.spi.support.Stages;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One session and the claims it carries. Loop-confined.
 *
 * <p><b>A claim</b> reads the claim record, and the era unless it was read a moment ago. Then it decides by what stands:
 *
 * <ul>
 *   <li>nothing, or a vacant record: take it;
 *   <li>held by this session under this nonce: an earlier write of the same attempt was applied although its reply was lost,
 *       so the claim is granted with the token that stands, or that the version of the record tells;
 *   <li>held by this session under an older nonce (R3): take it, with a higher token;
 *   <li>held by a living session: wait until that one may have ended ({@link Waiters});
 *   <li>held by a session that was silent for its TTL: evict that session (R1), and take the claim;
 *   <li>held by a session without a record: take it, and tell how long its holder may still believe.
 * </ul>
 *
 * <p>To take is one conditional write on the version that was read, with a token that is counted, or that the store issues with
 * this write ({@link ClaimTokens}). If another write came first, what stands now is decided upon instead. If the write was
 * applied, this session's own record is read once more: the store may have been wiped meanwhile, or the session revoked, and
 * nobody waits for the claim of a session that is gone. Only then is the claim granted.
 *
 * <p><b>A release</b> writes "vacant, same token" over the claim of its nonce, or of an attempt before it, and never over a
 * later one. If it finds none, it makes sure that none can follow: a claim whose outcome is unknown can be applied late, but
 * only over the version that it expects, so the release moves that version on ({@link ClaimAttempts}). Where the version is the token, that
 * cannot change the token of a claim: whatever is written over a claim carries its token.
 *
 * <p><b>One call per election counts</b> (R4): each claim and each release supersedes the one before it, which then stops
 * before its next write. Replies may still overtake each other. The engine supplies the rest: the deadline counts from the
 * moment at which the renewal was sent (R2), and there is no session object, hence no claim, before the session is open (R5).
 *
 * <p>Every token that comes by is told to the engine at once, whatever becomes of the call: it is the floor of later claims.
 */
final class LeaseSession implements BackendSession {
    /**
     * Where the session lives.
     *
     * @param own the sessions of this process that were not closed yet
     */
    record Place(LoopStore store, ClaimTokens tokens, Host host, Rivals rivals, Set<String> own, Untold untold) {}

    /** A claim as it was written, and under which version; without its text, which would be most of what it costs in memory. */
    private record Written(ClaimRecord claim, String version) {
        static Written of(ClaimRecord claim, Versioned now) {
            return new Written(claim, now.version().orElseThrow());
        }

        Versioned at() {
            String key = ClaimRecord.key(claim.election());
            return new Versioned(key, Optional.of(version), "", Optional.empty(), 0);
        }
    }

    /** One claim or release; compared by identity. */
    private static final class Call {
        private boolean mayHaveLookedTooEarly;
    }

    private static final int CLAIM_ROUNDS_MAX = 3;
    private static final int RELEASE_ROUNDS_MAX = 3;
    private static final int BEATS_PER_LOOK = 2;

    private final LoopStore store;
    private final ClaimTokens tokens;
    private final Host host;
    private final Rivals rivals;
    private final Set<String> own;
    private final Untold untold;
    private final SessionEvents events;
    private final OwnRecord record;
    private final EraView era;
    private final Waiters waiters;
    private final Requests requests;
    private final ClaimChanges changes;
    private final Watch watch;
    /** R4: the newest call of each election, while it is under way; what an older one was about to do next is dropped. */
    private final Map<ElectionName, Call> newest = new HashMap<>();

    /** What a grant wrote, so that its release need not look first. */
    private final Map<ElectionName, Written> written = new HashMap<>();

    private final ClaimAttempts attempts = new ClaimAttempts();

    private boolean over;

    LeaseSession(Place place, SessionRecord record, Versioned stored, StoreEra era, SessionEvents events) {
        this.store = place.store;
        this.tokens = place.tokens;
        this.host = place.host;
        this.rivals = place.rivals;
        this.own = place.own;
        this.untold = place.untold;
        this.record = new OwnRecord(place.store, place.host, record, stored, events::lost);
        this.era = new EraView(place.store, place.host, era, record.ttl().toNanos(), events::lost);
        this.events = events;
        this.waiters =
                new Waiters(place.host, place.rivals, events, record.ttl().toNanos());
        this.requests = new Requests(place.store, events);
        this.changes = new ClaimChanges(place, record, waiters, events);
        this.watch = place.store.watch(RequestRecord.PREFIX, key -> host.post(requests::look));
    }

    @Override
    public String id() {
        return record.content().id();
    }

    @Override
    public Duration ttl() {
        return record.content().ttl();
    }

    @Override
    public StoreEra era() {
        return era.known();
    }

    @Override
    public CompletableFuture<RenewReply> renew() {
        Set<ElectionName> standing = new HashSet<>(waiters.elections());
        standing.addAll(written.keySet());
        CompletableFuture<RenewReply> beat = record.beat(standing);
        if (looksForRequests()) {
            requests.look();
        }
        return beat;
    }

    @Override
    public CompletableFuture<ClaimReply> claim(ClaimRequest asked) {
        long seen = untold.of(asked.election());
        if (seen > 0) {
            events.seen(asked.election(), seen); // a store that issues tokens knows no floor: the engine compares
        }
        ClaimRequest request = asked.above(seen);
        Call me = supersede(request.election());
        attempts.claims(request.election(), request.nonce());
        return look(request, me).whenComplete((reply, failure) -> newest.remove(request.election(), me));
    }

    private CompletableFuture<ClaimReply> look(ClaimRequest request, Call me) {
        // Both at once: a handover must not pay for two round trips, and an era seen a moment late costs nothing.
        CompletableFuture<StoreEra> fresh = era.fresh();
        return store.read(ClaimRecord.key(request.election()))
                .thenCompose(found -> {
                    if (!fresh.isDone() || fresh.isCompletedExceptionally()) {
                        claimIn(found); // the era may never come, and what was seen must not be forgotten with it
                    }
                    return fresh.thenApply(known -> found);
                })
                .thenCompose(found -> decide(request, me, found, CLAIM_ROUNDS_MAX));
    }

    private CompletableFuture<ClaimReply> decide(ClaimRequest asked, Call me, Versioned found, int rounds) {
        Optional<ClaimRecord> stands = claimIn(found);
        ensureNewest(asked.election(), me);
        if (stands.isEmpty()) {
            return take(asked, me, found, Before.free(0), rounds);
        }
        ClaimRecord claim = stands.get();
        boolean mine = claim.isOfSession(id());
        if (claim.isHeldBy(id()) && claim.nonce().equals(asked.nonce())) {
            written.put(asked.election(), Written.of(claim, found));
            return grantIfSessionStands(claim, me, Before.free(0));
        }
        ClaimRequest request = asked.above(claim.token());
        if (mine || claim.isVacant()) {
            // R3: mine, but of an older attempt. A release of that attempt may still be under way, so it is not
            // believed.
            return take(request, me, found, Before.free(claim.token()), rounds);
        }
        return rivals.lookAndEvict(claim.session()).thenCompose(verdict -> {
            ensureNewest(request.election(), me);
            if (verdict instanceof Rivals.Verdict.Alive alive) {
                Waiters.Holder holder = new Waiters.Holder(claim.session(), claim.token());
                waiters.add(holder, request.election(), alive.recheckNanos());
                return CompletableFuture.completedFuture(new ClaimReply.Waiting(claim.leader(), false));
            }
            // Who was evicted had been silent for its TTL and has stopped by its own clock; who vanished may not know.
            Duration standoff = verdict instanceof Rivals.Verdict.Evicted ? Duration.ZERO : claim.ttl();
            return take(request, me, found, new Before(claim.token(), true, standoff), rounds);
        });
    }

    /** What stood there before: its token, and whether its holder let go by itself. */
    private record Before(long token, boolean takeover, Duration standoff) {
        static Before free(long token) {
            return new Before(token, false, Duration.ZERO);
        }
    }

    private CompletableFuture<ClaimReply> take(
            ClaimRequest request, Call me, Versioned found, Before before, int rounds) {
        ElectionName election = request.election();
        ensureNewest(election, me);
        // What was found may be older than the era that was waited for; its clock then is, too.
        long clockMillis = Math.max(found.clockMillis(), store.shownMillis());
        ClaimTokens.Draft draft = tokens.draft(
                ClaimRecord.held(request, record.content(), now()),
                before.token,
                request.floor(),
                era.known().era(),
                clockMillis);
        waiters.remove(election);
        ClaimAttempts.Sent write = attempts.send(election, found);
        return store.issue(found, draft.text(), draft.claim().token()).thenCompose(reply -> {
            attempts.settled(election, write);
            if (reply instanceof WriteReply.Applied applied) {
                ClaimRecord claim = tokens.written(draft, applied.now());
                return tokens.areDrawn()
                        ? draw(request, claim, me, applied.now(), before)
                        : applied(request, claim, me, applied.now(), before);
            }
            if (rounds > 1) {
                return decide(request, me, ((WriteReply.Refused) reply).current(), rounds - 1);
            }
            return CompletableFuture.completedFuture(new ClaimReply.Waiting(Optional.empty(), false));
        });
    }

    /** The election is being claimed: only the write of the token, over that very claim, elects. */
    private CompletableFuture<ClaimReply> draw(
            ClaimRequest request, ClaimRecord claimed, Call me, Versioned now, Before before) {
        ElectionName election = request.election();
        return tokens.draw(election, before.token, request.floor(), era.known().era())
                .handle((token, failure) -> {
                    if (failure != null) {
                        throw unknown(
                                "no token was drawn: " + Stages.rootOf(failure).getMessage(), failure);
                    }
                    if (!isNewest(election, me)) {
                        throw overtaken(election, BackendException.Effect.UNKNOWN);
                    }
                    return claimed.as(ClaimRecord.State.HELD, token);
                })
                .thenCompose(held -> {
                    ClaimAttempts.Sent write = attempts.send(election, now);
                    return store.issue(now, held.text(), held.token()).thenCompose(reply -> {
                        attempts.settled(election, write);
                        return reply instanceof WriteReply.Applied applied
                                ? applied(request, held, me, applied.now(), before)
                                : CompletableFuture.completedFuture(new ClaimReply.Waiting(Optional.empty(), false));
                    });
                });
    }

    private CompletableFuture<ClaimReply> applied(
            ClaimRequest request, ClaimRecord claim, Call me, Versioned now, Before before) {
        ElectionName election = claim.election();
        attempts.granted(election, claim.nonce());
        outdateLooks(election);
        events.seen(election, claim.token()); // also if it is never known whether it was granted
        if (claim.token() > before.token) {
            written.put(election, Written.of(claim, now));
        }
        if (claim.token() == Math.max(before.token, request.floor())) {
            // The engine refuses a lower one, but cannot tell an equal one from this very claim, seen before.
            throw unknown("the store has issued token " + claim.token() + " of " + election + " twice", null);
        }
        return grantIfSessionStands(claim, me, before);
    }

    /** The claim was written: from here on no failure means that nothing happened. */
    private CompletableFuture<ClaimReply> grantIfSessionStands(ClaimRecord claim, Call me, Before before) {
        return record.stands().handle((stands, failure) -> {
            if (failure != null) {
                throw unknown("the claim was written, but it is not known whether its session stands", failure);
            }
            if (!isNewest(claim.election(), me)) {
                // R4: a release that came meanwhile has given up what was written, or is about to.
                throw overtaken(claim.election(), BackendException.Effect.UNKNOWN);
            }
            FencingToken token = new FencingToken(claim.token());
            return new ClaimReply.Granted(token, claim.nonce(), before.takeover, before.standoff);
        });
    }

    private static BackendException unknown(String message, @Nullable Throwable cause) {
        return new BackendException(BackendException.Effect.UNKNOWN, BackendException.Kind.UNREACHABLE, message, cause);
    }

    @Override
    public CompletableFuture<ReleaseReply> release(ElectionName election, Nonce nonce) {
        Call me = supersede(election);
        waiters.remove(election);
        return vacate(election, nonce, me).whenComplete((reply, failure) -> newest.remove(election, me));
    }

    private CompletableFuture<ReleaseReply> vacate(ElectionName election, Nonce nonce, Call me) {
        Optional<Written> last = Optional.ofNullable(written.remove(election));
        if (!over && last.isPresent() && last.get().claim.nonce().equals(nonce)) {
            Giving giving = new Giving(last.get().at(), last.get().claim.vacant(), ReleaseReply.RELEASED);
            return give(election, nonce, me, giving, RELEASE_ROUNDS_MAX);
        }
        return store.read(ClaimRecord.key(election))
                .thenCompose(found -> vacate(election, nonce, me, found, RELEASE_ROUNDS_MAX));
    }

    private CompletableFuture<ReleaseReply> vacate(
            ElectionName election, Nonce nonce, Call me, Versioned found, int rounds) {
        Optional<ClaimRecord> claim;
        try {
            claim = claimIn(found);
        } catch (BackendException garbled) {
            return CompletableFuture.completedFuture(ReleaseReply.NOT_HELD); // what stands there now is not mine
        }
        ensureNewest(election, me);
        boolean mine = claim.filter(stands -> isOf(stands, election, nonce)).isPresent();
        if (!mine && !attempts.mayStillLand(election, found)) {
            if (me.mayHaveLookedTooEarly) {
                me.mayHaveLookedTooEarly = false;
                return store.read(ClaimRecord.key(election))
                        .thenCompose(again -> vacate(election, nonce, me, again, rounds));
            }
            return CompletableFuture.completedFuture(ReleaseReply.NOT_HELD);
        }
        // Writing the record moves its version on, and with that every claim still under way comes too late.
        ClaimRecord vacant =
                claim.map(stands -> mine ? stands.vacant() : stands).orElseGet(() -> neverHeld(election, found));
        Giving giving = new Giving(found, vacant, mine ? ReleaseReply.RELEASED : ReleaseReply.NOT_HELD);
        return give(election, nonce, me, giving, rounds);
    }

    private ClaimRecord neverHeld(ElectionName election, Versioned found) {
        long token = tokens.ofNobody(era.known().era(), found.clockMillis());
        return ClaimRecord.neverHeld(election, record.content(), token, now());
    }

    private Instant now() {
        return Instant.ofEpochMilli(host.wallMillis());
    }

    /** What a release writes over what stands there, and what that makes of it. */
    private record Giving(Versioned found, ClaimRecord vacant, ReleaseReply then) {}

    private CompletableFuture<ReleaseReply> give(
            ElectionName election, Nonce nonce, Call me, Giving giving, int rounds) {
        return store.set(giving.found, giving.vacant.text()).thenCompose(reply -> {
            if (reply instanceof WriteReply.Applied) {
                return CompletableFuture.completedFuture(giving.then);
            }
            if (rounds > 1) {
                return vacate(election, nonce, me, ((WriteReply.Refused) reply).current(), rounds - 1);
            }
            throw new BackendException(
                    BackendException.Effect.NONE,
                    BackendException.Kind.UNREACHABLE,
                    "the record of " + election + " keeps changing while it is being released");
        });
    }

    /** Is it the claim of this nonce, or of one before it? A newer one is another term and is left alone. */
    private boolean isOf(ClaimRecord claim, ElectionName election, Nonce nonce) {
        return claim.isOfSession(id()) && attempts.isUpTo(election, claim.nonce(), nonce);
    }

    @Override
    public CompletableFuture<Boolean> holds(Term term) {
        return store.read(ClaimRecord.key(term.election()))
                .thenApply(found -> claimIn(found)
                        .filter(claim -> claim.isHeldBy(id()) && claim.isOf(term))
                        .isPresent());
    }

    /** Requests are made of those who hold. Where the store notifies, only a lost notification has to be made up for. */
    private boolean looksForRequests() {
        boolean notified = store.traits().wakeup() != BackendTraits.Wakeup.POLL;
        return !written.isEmpty() && (!notified || record.content().beat() % BEATS_PER_LOOK == 0);
    }

    @Override
    public CompletableFuture<Boolean> catchUp() {
        return changes.catchUp(written::containsKey);
    }

    @Override
    public CompletableFuture<Void> clear(OperatorRequest request) {
        return requests.clear(request);
    }

    @Override
    public void abandon() {
        over = true;
        watch.close();
        waiters.close();
        changes.close();
        requests.close();
    }

    @Override
    public CompletableFuture<Void> close() {
        abandon();
        own.remove(id());
        return store.read(SessionRecord.key(id()))
                .thenCompose(found -> found.isPresent()
                        ? store.delete(found).thenApply(reply -> null)
                        : CompletableFuture.completedFuture(null));
    }

    /** Its token has been seen, whatever becomes of the call that came across it. */
    private Optional<ClaimRecord> claimIn(Versioned found) {
        Optional<ClaimRecord> claim = found.isPresent() ? Optional.of(tokens.read(found)) : Optional.empty();
        claim.filter(stands -> stands.token() > 0).ifPresent(stands -> events.seen(stands.election(), stands.token()));
        return claim;
    }

    /** Replies may overtake each other: what a newer call reads may be older than a claim that is known to be applied. */
    private void outdateLooks(ElectionName election) {
        Call now = newest.get(election);
        if (now != null) {
            now.mayHaveLookedTooEarly = true;
        }
    }

    private Call supersede(ElectionName election) {
        Call me = new Call();
        newest.put(election, me);
        return me;
    }

    private boolean isNewest(ElectionName election, Call me) {
        return !over && newest.get(election) == me;
    }

    private void ensureNewest(ElectionName election, Call me) {
        if (!isNewest(election, me)) {
            throw overtaken(election, BackendException.Effect.NONE);
        }
    }

    private static BackendException overtaken(ElectionName election, BackendException.Effect effect) {
        return new BackendException(
                effect,
                BackendException.Kind.UNREACHABLE,
                "this call for " + election + " was overtaken by a newer one, or by the end of its session");
    }

    /**
     * Tokens that a look of this process has come across and could not tell, because what it had to look at next did not answer.
     * A process that has seen a token does not lead with one at or below it, whatever became of the look. Loop-confined.
     */
    static final class Untold {
        private final Map<ElectionName, Long> tokens = new HashMap<>();

        void cameAcross(ClaimRecord claim) {
            tokens.merge(claim.election(), claim.token(), Math::max);
        }

        /** The engine hears of this one, so it need not be kept here. */
        void told(ClaimRecord claim) {
            tokens.computeIfPresent(claim.election(), (election, token) -> token > claim.token() ? token : null);
        }

        long of(ElectionName election) {
            return tokens.getOrDefault(election, 0L);
        }
    }
}
