// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
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
import dev.tenure.spi.support.ClaimOrder;
import dev.tenure.spi.support.RequestRecord;
import dev.tenure.spi.support.Stages;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * One session and the claims it carries. Loop-confined.
 *
 * <p><b>A claim</b> reads the claim record, and the era unless it was read a moment ago. Then it decides by what stands:
 *
 * <ul>
 *   <li>nothing, or a vacant record: take it;
 *   <li>held by this session under this nonce: an earlier write of the same attempt was applied although its reply was lost,
 *       so the claim is granted with the token that stands, or that the version of the record shows;
 *   <li>held by this session under an older nonce (R3): take it, with a higher token;
 *   <li>held by a living session: wait until that one may have ended ({@link ExpiryTimers});
 *   <li>held by a session that was silent for its TTL: evict that session (R1), and take the claim;
 *   <li>held by a session without a record: take it, and report how long its holder may still believe.
 * </ul>
 *
 * <p>To take is one conditional write on the version that was read, with a token that is counted, or that the store issues with
 * this write ({@link ClaimTokens}). If another write came first, what stands now is decided upon instead. If the write was
 * applied, this session's own record is read once more: the store may have been wiped meanwhile, or the session revoked, and
 * nobody waits for the claim of a session that is gone. Only then is the claim granted.
 *
 * <p><b>A release</b> writes "vacant, same token" over the claim of its nonce, or of an attempt before it, and never over a
 * later one. If it finds none, it makes sure that none can follow: a claim whose outcome is unknown can be applied late, but
 * only over the version that it expects, so the release moves that version on ({@link ClaimOrder}). Where the version is the token, that
 * cannot change the token of a claim: whatever is written over a claim carries its token.
 *
 * <p><b>One call per election counts</b> (R4): each claim and each release supersedes the one before it, which then stops
 * before its next write. Replies may still overtake each other. The engine supplies the rest: the deadline counts from the
 * moment at which the renewal was sent (R2), and there is no session object, hence no claim, before the session is open (R5).
 *
 * <p>Every token that comes by is reported to the engine at once, whatever becomes of the call: it is the floor of later claims.
 */
final class LeaseSession implements BackendSession {
    /**
     * Where the session lives.
     *
     * @param own the sessions of this process that were not closed yet
     */
    record Context(
            LoopStore store,
            ClaimTokens tokens,
            Host host,
            PeerSessions peers,
            Set<String> own,
            Map<ElectionName, Long> seen) {}

    /** A claim as it was written, and under which version; without its text, which would be most of what it costs in memory. */
    record Written(ClaimRecord claim, String version) {
        static Written of(ClaimRecord claim, Versioned now) {
            return new Written(claim, now.version().orElseThrow());
        }

        Versioned at() {
            String key = ClaimRecord.key(claim.election());
            return new Versioned(key, Optional.of(version), "", Optional.empty(), 0);
        }
    }

    private static final int CLAIM_ROUNDS_MAX = 3;
    private static final int RELEASE_ROUNDS_MAX = 3;
    private static final int WAITS_FOR_NOBODY_PER_TTL = 4;

    private final LoopStore store;
    private final ClaimTokens tokens;
    private final Host host;
    private final Context context;
    private final SessionEvents events;
    private final OwnSession record;
    private final EraCache era;
    private final ExpiryTimers timers;
    private final ClaimChanges changes;
    private final RenewalReads reads;
    private final Watch watch;
    /**
     * The claims of each election in their order, the number of its newest call (R4), and which writes may still be applied, each
     * with the version that it expects: a conditional write can be applied late, but only while that version still stands.
     */
    private final Map<ElectionName, ClaimOrder<Optional<String>>> orders = new HashMap<>();

    /** What a grant wrote, so that its release need not look first. */
    private final Map<ElectionName, Written> written = new LinkedHashMap<>();

    private boolean over;

    LeaseSession(Context context, SessionRecord record, Versioned stored, StoreEra era, SessionEvents events) {
        this.store = context.store;
        this.tokens = context.tokens;
        this.host = context.host;
        this.context = context;
        this.record = new OwnSession(context.store, context.host, record, stored, events::lost);
        this.era = new EraCache(context.store, context.host, era, record.ttl().toNanos(), events::lost);
        this.events = events;
        this.timers = new ExpiryTimers(
                context.host, context.peers, events, record.ttl().toNanos());
        this.changes = new ClaimChanges(context, record, timers, events);
        this.reads =
                new RenewalReads(context, timers, changes, events, record.ttl().toNanos());
        this.watch = context.store.watch(RequestRecord.PREFIX, key -> host.post(reads::lookForRequests));
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
        Set<ElectionName> standing = new HashSet<>(timers.elections());
        standing.addAll(written.keySet());
        RenewalReads.ReadRequest asked = reads.next(written);
        CompletableFuture<RenewReply> beat =
                record.beat(standing, asked.wanted(), records -> reads.seen(asked, records, written));
        reads.renewed(record.content().beat(), !written.isEmpty());
        return beat;
    }

    /** A claim that is not as it was written is reported as changed; of very many, a few are read with each renewal. */
    @Override
    public boolean pushesClaimLoss() {
        return store.readsWithRenewals();
    }

    @Override
    public CompletableFuture<ClaimReply> claim(ClaimRequest asked) {
        long seen = context.seen.getOrDefault(asked.election(), 0L);
        if (seen > 0) {
            events.tokenObserved(
                    asked.election(), seen); // a store that issues tokens knows no floor: the engine compares
        }
        ClaimRequest request = asked.above(seen);
        long me = order(request.election()).nextCall();
        order(request.election()).claims(request.nonce());
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

    private CompletableFuture<ClaimReply> decide(ClaimRequest asked, long me, Versioned found, int rounds) {
        Optional<ClaimRecord> stands = claimIn(found);
        ensureNewest(asked.election(), me);
        if (stands.isEmpty()) {
            return take(asked, me, found, Predecessor.free(0), rounds);
        }
        ClaimRecord claim = stands.get();
        boolean mine = claim.isOfSession(id());
        if (claim.isHeldBy(id()) && claim.nonce().equals(asked.nonce())) {
            written.put(asked.election(), Written.of(claim, found));
            return grantIfSessionStands(claim, me, Predecessor.free(0));
        }
        ClaimRequest request = asked.above(claim.token());
        if (mine || claim.isVacant()) {
            // R3: mine, but of an older attempt. A release of that attempt may still be under way, so it is not
            // believed.
            return take(request, me, found, Predecessor.free(claim.token()), rounds);
        }
        return context.peers.lookAndEvict(claim.session()).thenCompose(verdict -> {
            ensureNewest(request.election(), me);
            if (verdict instanceof PeerSessions.Verdict.Alive alive) {
                ExpiryTimers.Holder holder = new ExpiryTimers.Holder(claim.session(), claim.token());
                timers.add(holder, request.election(), alive.recheckNanos());
                return CompletableFuture.completedFuture(new ClaimReply.Waiting(claim.leader(), false));
            }
            // An evicted holder was silent for its TTL and has stopped by its clock; one that vanished may not know.
            Duration standoff = verdict instanceof PeerSessions.Verdict.Evicted
                    ? Duration.ZERO
                    : claim.by().ttl();
            return take(request, me, found, new Predecessor(claim.token(), true, standoff), rounds);
        });
    }

    /** What stood there before: its token, and whether its holder let go by itself. */
    private record Predecessor(long token, boolean takeover, Duration standoff) {
        static Predecessor free(long token) {
            return new Predecessor(token, false, Duration.ZERO);
        }
    }

    private CompletableFuture<ClaimReply> take(
            ClaimRequest request, long me, Versioned found, Predecessor before, int rounds) {
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
        timers.remove(election);
        return issue(election, found, draft.text(), draft.claim().token()).thenCompose(reply -> {
            if (reply instanceof WriteReply.Applied applied) {
                ClaimRecord claim = tokens.written(draft, applied.now());
                return tokens.areDrawn()
                        ? draw(request, claim, me, applied.now(), before)
                        : applied(request, claim, me, applied.now(), before);
            }
            if (rounds > 1) {
                return decide(request, me, ((WriteReply.Refused) reply).current(), rounds - 1);
            }
            return CompletableFuture.completedFuture(waitForNobody(election));
        });
    }

    /** There is no holder to look after, and no poll may come. */
    private ClaimReply waitForNobody(ElectionName election) {
        host.wakeAt(host.nanos() + ttl().toNanos() / WAITS_FOR_NOBODY_PER_TTL, () -> events.changed(election));
        return new ClaimReply.Waiting(Optional.empty(), false);
    }

    /** The election is being claimed: only the write of the token, over that very claim, elects. */
    private CompletableFuture<ClaimReply> draw(
            ClaimRequest request, ClaimRecord claimed, long me, Versioned now, Predecessor before) {
        ElectionName election = request.election();
        return tokens.draw(election, before.token, request.floor(), era.known().era())
                .handle((token, failure) -> {
                    if (failure != null) {
                        throw BackendException.unknown(
                                "no token was drawn: " + Stages.rootOf(failure).getMessage(), failure);
                    }
                    if (!isNewest(election, me)) {
                        throw overtaken(election, BackendException.Effect.UNKNOWN);
                    }
                    return claimed.as(ClaimRecord.State.HELD, token);
                })
                .thenCompose(held -> issue(election, now, held.text(), held.token())
                        .thenCompose(reply -> reply instanceof WriteReply.Applied applied
                                ? applied(request, held, me, applied.now(), before)
                                : CompletableFuture.completedFuture(waitForNobody(election))));
    }

    /** A write of a claim: until it is answered it may be applied late. */
    private CompletableFuture<WriteReply> issue(ElectionName election, Versioned expected, String text, long token) {
        Object write = new Object();
        order(election).opened(write, expected.version());
        return store.issue(expected, text, token).thenApply(reply -> {
            order(election).settled(write);
            return reply;
        });
    }

    private CompletableFuture<ClaimReply> applied(
            ClaimRequest request, ClaimRecord claim, long me, Versioned now, Predecessor before) {
        ElectionName election = claim.election();
        order(election).forgetBefore(claim.nonce()); // what was tried before it cannot be applied any more
        events.tokenObserved(election, claim.token()); // also if it is never known whether it was granted
        if (claim.token() > before.token) {
            written.put(election, Written.of(claim, now));
        }
        if (claim.token() == Math.max(before.token, request.floor())) {
            // The engine refuses a lower one, but cannot tell an equal one from this very claim, seen before.
            throw BackendException.unknown(
                    "the store has issued token " + claim.token() + " of " + election + " twice");
        }
        return grantIfSessionStands(claim, me, before);
    }

    /** The claim was written: from here on no failure means that nothing happened. */
    private CompletableFuture<ClaimReply> grantIfSessionStands(ClaimRecord claim, long me, Predecessor before) {
        return record.stands().handle((stands, failure) -> {
            if (failure != null) {
                throw BackendException.unknown(
                        "the claim was written, but it is not known whether its session stands", failure);
            }
            if (!isNewest(claim.election(), me)) {
                // R4: a release that came meanwhile has given up what was written, or is about to.
                throw overtaken(claim.election(), BackendException.Effect.UNKNOWN);
            }
            FencingToken token = new FencingToken(claim.token());
            return new ClaimReply.Granted(token, claim.nonce(), before.takeover, before.standoff);
        });
    }

    @Override
    public CompletableFuture<ReleaseReply> release(ElectionName election, Nonce nonce) {
        long me = order(election).nextCall();
        timers.remove(election);
        return vacate(election, nonce, me);
    }

    private CompletableFuture<ReleaseReply> vacate(ElectionName election, Nonce nonce, long me) {
        Optional<Written> last = Optional.ofNullable(written.remove(election));
        if (!over && last.isPresent() && last.get().claim.nonce().equals(nonce)) {
            ReleaseWrite releaseWrite =
                    new ReleaseWrite(last.get().at(), last.get().claim.vacant(), ReleaseReply.RELEASED);
            return give(election, nonce, me, releaseWrite, RELEASE_ROUNDS_MAX);
        }
        return store.read(ClaimRecord.key(election))
                .thenCompose(found -> vacate(election, nonce, me, found, RELEASE_ROUNDS_MAX));
    }

    private CompletableFuture<ReleaseReply> vacate(
            ElectionName election, Nonce nonce, long me, Versioned found, int rounds) {
        Optional<ClaimRecord> claim;
        try {
            claim = claimIn(found);
        } catch (BackendException garbled) {
            return CompletableFuture.completedFuture(ReleaseReply.NOT_HELD); // what stands there now is not mine
        }
        ensureNewest(election, me);
        boolean mine = claim.filter(stands -> isOf(stands, election, nonce)).isPresent();
        if (!mine && !mayStillLand(election, found)) {
            // Replies may overtake each other: what was read may be older than a claim that is known to be applied.
            return written.containsKey(election)
                    ? vacate(election, nonce, me)
                    : CompletableFuture.completedFuture(ReleaseReply.NOT_HELD);
        }
        // Writing the record moves its version on, and with that every claim still under way comes too late.
        ClaimRecord vacant =
                claim.map(stands -> mine ? stands.vacant() : stands).orElseGet(() -> neverHeld(election, found));
        ReleaseWrite releaseWrite =
                new ReleaseWrite(found, vacant, mine ? ReleaseReply.RELEASED : ReleaseReply.NOT_HELD);
        return give(election, nonce, me, releaseWrite, rounds);
    }

    private ClaimRecord neverHeld(ElectionName election, Versioned found) {
        long token = tokens.ofNobody(era.known().era(), found.clockMillis());
        return ClaimRecord.neverHeld(election, record.content(), token, now());
    }

    private Instant now() {
        return Instant.ofEpochMilli(host.wallMillis());
    }

    /** What a release writes over what stands there, and what that makes of it. */
    private record ReleaseWrite(Versioned found, ClaimRecord vacant, ReleaseReply then) {}

    private CompletableFuture<ReleaseReply> give(
            ElectionName election, Nonce nonce, long me, ReleaseWrite releaseWrite, int rounds) {
        return store.set(releaseWrite.found, releaseWrite.vacant.text()).thenCompose(reply -> {
            if (reply instanceof WriteReply.Applied) {
                return CompletableFuture.completedFuture(releaseWrite.then);
            }
            if (rounds > 1) {
                return vacate(election, nonce, me, ((WriteReply.Refused) reply).current(), rounds - 1);
            }
            throw BackendException.unreachable(
                    "the record of " + election + " keeps changing while it is being released");
        });
    }

    /** Is it the claim of this nonce, or of one before it? A newer one is another term and is left alone. */
    private boolean isOf(ClaimRecord claim, ElectionName election, Nonce nonce) {
        ClaimOrder<Optional<String>> order = order(election);
        return claim.isOfSession(id()) && order.knows(claim.nonce()) && order.isUpTo(claim.nonce(), nonce);
    }

    /** Forgets the writes that this sight of the record proves dead; true if one may still be applied. */
    private boolean mayStillLand(ElectionName election, Versioned found) {
        order(election).settledIf((write, expected) -> !expected.equals(found.version()));
        return !order(election).open().isEmpty();
    }

    @Override
    public CompletableFuture<Boolean> holds(Term term) {
        ElectionName election = term.election();
        return store.read(ClaimRecord.key(election)).thenApply(found -> {
            boolean known = Optional.ofNullable(written.get(election))
                    .filter(last -> last.claim.nonce().equals(term.nonce()))
                    .isPresent();
            if (known) {
                written.remove(election); // what is lost need not be read again with each renewal
            }
            Optional<ClaimRecord> held = claimIn(found).filter(claim -> claim.isHeldBy(id()) && claim.isOf(term));
            held.filter(claim -> known).ifPresent(claim -> written.put(election, Written.of(claim, found)));
            return held.isPresent();
        });
    }

    @Override
    public CompletableFuture<Boolean> catchUp() {
        return changes.catchUp(written::containsKey);
    }

    @Override
    public CompletableFuture<Void> clear(OperatorRequest request) {
        return deleteIf(
                RequestRecord.key(request.election()),
                found -> RequestRecord.of(found).equals(request));
    }

    private CompletableFuture<Void> deleteIf(String key, Predicate<Versioned> unwanted) {
        return store.read(key)
                .thenCompose(found -> found.isPresent() && unwanted.test(found)
                        ? store.delete(found).thenApply(reply -> null)
                        : CompletableFuture.completedFuture(null));
    }

    @Override
    public void abandon() {
        over = true;
        watch.close();
        timers.close();
        changes.close();
        reads.close();
    }

    @Override
    public CompletableFuture<Void> close() {
        abandon();
        context.own.remove(id());
        return deleteIf(SessionRecord.key(id()), found -> true);
    }

    /** Its token has been seen, whatever becomes of the call that came across it. */
    private Optional<ClaimRecord> claimIn(Versioned found) {
        Optional<ClaimRecord> claim = found.isPresent() ? Optional.of(tokens.read(found)) : Optional.empty();
        claim.filter(stands -> stands.token() > 0)
                .ifPresent(stands -> events.tokenObserved(stands.election(), stands.token()));
        return claim;
    }

    private ClaimOrder<Optional<String>> order(ElectionName election) {
        return orders.computeIfAbsent(election, any -> new ClaimOrder<>());
    }

    private boolean isNewest(ElectionName election, long me) {
        return !over && order(election).newestCall() == me;
    }

    private void ensureNewest(ElectionName election, long me) {
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
}
