package dev.tenure.kubernetes;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.kubernetes.ClaimState.Held;
import dev.tenure.kubernetes.lease.ElectionLease;
import dev.tenure.kubernetes.lease.TermNote;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Host;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Watch;
import dev.tenure.spi.support.Stages;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * One process that stands in elections, each of which is a Lease. There is no record of the session itself: it lives in the claims that it renews,
 * one write for each. Loop-confined.
 *
 * <p><b>A claim</b> reads the Lease and decides: nobody holds it, or this session under an older nonce: take it. Its holder was silent for its
 * duration, by the clock of this process and no other: take it over. This session holds it under this very nonce, because an answer was lost:
 * write it once more, and only then believe it. Else wait. To take is one write on the version that was read; its own version is the token.
 *
 * <p><b>The deadline</b> of the session counts from before the last renewal was sent, and others count from a later moment: from the write of that
 * renewal or of the claim. A renewal that was sent after a claim, and before its answer came, does not carry that claim and yet moves the
 * deadline; so the claim is written once more before it is granted.
 *
 * <p><b>A renewal</b> that is refused is read back. If the Lease still is of this term (an operator's request or an earlier renewal of unknown
 * outcome has changed it), it is renewed from there; else the claim is lost. The first one notes the token.
 */
final class KubernetesSession implements BackendSession {
    private static final int ROUNDS_MAX = 3;
    private static final long JITTER_NANOS = 20_000_000;
    private static final long RETRY_NANOS = 5 * JITTER_NANOS;
    private static final double ERA_FRESH_SHARE_OF_TTL = 0.05;
    private static final int MICROS = 1000;

    private final KubernetesContext context;
    private final Host host;
    private final SessionEvents events;
    private final String id;
    private final String identity;
    private final Duration ttl;
    private final String storeId;
    private final Map<ElectionName, ClaimState> states = new HashMap<>();
    private final Watch watch;
    private long acknowledgedNanos;
    private long renewalSentNanos;
    private long writes;
    private boolean over;

    KubernetesSession(KubernetesContext context, String node, Duration ttl, long sentNanos, SessionEvents events) {
        this.context = context;
        this.host = context.host();
        this.events = events;
        this.id = new Nonce(host.random(), host.random()).toString();
        this.identity = node + "_" + id;
        this.ttl = ttl;
        this.storeId = context.era().known().storeId();
        this.acknowledgedNanos = sentNanos;
        this.renewalSentNanos = sentNanos;
        this.watch = context.watches().add(this::onWatched);
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public Duration ttl() {
        return ttl;
    }

    @Override
    public StoreEra era() {
        return context.era().known();
    }

    /** True UTC for people and for electors that look at it; never the same twice, because a write without a change is none. */
    private ZonedDateTime now() {
        return ElectionLease.time(host.wallMillis(), writes++ % MICROS);
    }

    private boolean isMine(ElectionLease lease) {
        return lease.holder().equals(identity);
    }

    // ---- renewal

    @Override
    public CompletionStage<RenewReply> renew() {
        long sentNanos = host.nanos();
        if (over || sentNanos - acknowledgedNanos > ttl.toNanos()) {
            return CompletableFuture.completedFuture(
                    new RenewReply.Gone("this session was closed or silent for its TTL"));
        }
        renewalSentNanos = sentNanos;
        List<CompletableFuture<Optional<RenewReply.LostClaim>>> renewals = states.values().stream()
                .flatMap(state -> state.held().map(held -> renew(state, held, ROUNDS_MAX)).stream())
                .toList();
        CompletableFuture<?> all =
                renewals.isEmpty() ? freshEra(0) : CompletableFuture.allOf(renewals.toArray(CompletableFuture[]::new));
        return all.thenApply(done -> {
            acknowledgedNanos = sentNanos;
            return new RenewReply.Renewed(
                    ttl, renewals.stream().flatMap(one -> one.join().stream()).toList());
        });
    }

    private CompletableFuture<Optional<RenewReply.LostClaim>> renew(ClaimState state, Held held, int rounds) {
        return context.renew(held.lease(), held.lease().renewed(held.note(), now()))
                .thenCompose(written -> {
                    if (written.isPresent()) {
                        keep(state, new Held(written.get(), held.note()));
                        return CompletableFuture.completedFuture(Optional.empty());
                    }
                    return context.get(state.election()).thenCompose(found -> {
                        boolean another = found.note()
                                .filter(note -> !note.nonce().equals(held.nonce()))
                                .isPresent();
                        if (isMine(found) && !another && rounds > 1) {
                            return renew(state, new Held(found, held.note()), rounds - 1);
                        }
                        if (isMine(found) && !another) {
                            throw unknown("the Lease of " + state.election() + " is being changed all the time");
                        }
                        return CompletableFuture.completedFuture(
                                state.drop(held.nonce())
                                        ? Optional.of(new RenewReply.LostClaim(state.election(), held.nonce()))
                                        : Optional.empty());
                    });
                });
    }

    /** It stands as it was written or shown, unless it was given up meanwhile. */
    private void keep(ClaimState state, Held now) {
        if (state.update(now)) {
            now.lease().request().ifPresent(events::requested);
            now.lease()
                    .prefersAnother(identity)
                    .ifPresent(preferred -> events.requested(new OperatorRequest(
                            state.election(),
                            OperatorRequest.Verb.RESIGN,
                            now.token(),
                            "the coordinator of " + preferred)));
        }
    }

    @Override
    public boolean tellsOfLoss() {
        return true; // each renewal writes each claim
    }

    /** Another store id is another store: what this session knows is void. */
    private CompletableFuture<StoreEra> freshEra(double shareOfTtl) {
        return context.era().within((long) (ttl.toNanos() * shareOfTtl)).thenApply(era -> {
            if (!era.storeId().equals(storeId)) {
                events.lost("the store was emptied or replaced since this session was opened");
                throw overtaken(Effect.NONE);
            }
            return era;
        });
    }

    // ---- claim

    @Override
    public CompletionStage<ClaimReply> claim(ClaimRequest request) {
        if (over) {
            return CompletableFuture.failedFuture(overtaken(Effect.NONE));
        }
        context.watches().follow(request.election());
        ClaimState state = states.computeIfAbsent(request.election(), ClaimState::new);
        state.claims(request.nonce());
        Claiming claiming = new Claiming(request, state, state.order().nextCall());
        return state.inTurn(() -> look(claiming, ROUNDS_MAX));
    }

    private record Claiming(ClaimRequest request, ClaimState state, long call) {
        boolean isNewest() {
            return state.order().newestCall() == call;
        }
    }

    private CompletableFuture<ClaimReply> look(Claiming claiming, int rounds) {
        ensureNewest(claiming);
        if (rounds == 0) { // others write to it all the time
            await(claiming.state, host.nanos() + RETRY_NANOS);
            return CompletableFuture.completedFuture(new ClaimReply.Waiting(Optional.empty(), false));
        }
        CompletableFuture<StoreEra> era = freshEra(ERA_FRESH_SHARE_OF_TTL);
        return context.get(claiming.state.election())
                .thenCompose(lease -> era.thenCompose(known -> decide(claiming, lease, rounds)));
    }

    private CompletableFuture<ClaimReply> decide(Claiming claiming, ElectionLease lease, int rounds) {
        ensureNewest(claiming);
        ClaimRequest request = claiming.request;
        Optional<TermNote> mine = lease.term().filter(note -> isMine(lease));
        if (mine.filter(note -> note.nonce().equals(request.nonce())).isPresent()) {
            return confirm(claiming, new Held(lease, mine.get()), new Before(false, Duration.ZERO), rounds);
        }
        tell(lease);
        if (isMine(lease)) {
            return take(claiming, lease, new Before(false, Duration.ZERO), rounds);
        }
        if (lease.isVacant() && lease.prefersAnother(identity).isEmpty()) {
            // Whom somebody else has ended may not know it yet.
            Duration standoff = lease.isBlanked() ? ttl : Duration.ZERO;
            return take(claiming, lease, new Before(lease.isBlanked(), standoff), rounds);
        }
        if (!lease.isVacant() && context.isSilent(lease, ttl.toNanos())) {
            return take(claiming, lease, new Before(true, Duration.ZERO), rounds);
        }
        if (context.silence().isOutdated(lease)) {
            return look(claiming, rounds - 1); // a watch was faster, and told it to nobody who waits
        }
        await(claiming.state, context.silentAtNanos(lease, ttl.toNanos()));
        return CompletableFuture.completedFuture(
                new ClaimReply.Waiting(lease.leader(() -> context.tokenOfForeign(lease)), false));
    }

    private void tell(ElectionLease lease) {
        if (lease.tokenMax() > 0) {
            events.seen(lease.election(), lease.tokenMax());
        }
    }

    /** Nobody tells when a process dies, so it is looked at again when its time is over. */
    private void await(ClaimState state, long atNanos) {
        long jitterNanos = Long.remainderUnsigned(host.random(), JITTER_NANOS);
        state.await(host.wakeAt(atNanos + jitterNanos, () -> {
            if (!over) {
                events.changed(state.election());
            }
        }));
    }

    /** Whether the predecessor let go by itself, and how long it may still believe. */
    private record Before(boolean takeover, Duration standoff) {}

    private CompletableFuture<ClaimReply> take(Claiming claiming, ElectionLease lease, Before before, int rounds) {
        ClaimRequest request = claiming.request;
        ClaimState state = claiming.state;
        state.stopWaiting();
        int era = Math.max(context.era().known().era(), (int) (lease.tokenMax() >>> FencingToken.SEQUENCE_BITS));
        TermNote.Shown shown =
                new TermNote.Shown(request.holder(), Instant.ofEpochMilli(host.wallMillis()), request.card());
        TermNote note = new TermNote(era, 0, lease.tokenMax(), request.nonce(), identity, shown);
        Object attempt = new Object();
        state.order().opened(attempt, lease.version());
        long sentNanos = host.nanos();
        return context.write(lease, lease.taken(note, ttl, now()))
                .whenComplete((written, failure) -> {
                    if (failure == null || Stages.effectOf(failure) == Effect.NONE) {
                        state.order().settled(attempt);
                    }
                })
                .thenCompose(written -> written.map(
                                now -> taken(claiming, new Held(now, note.issued(now.number())), before, sentNanos))
                        .orElseGet(() -> look(claiming, rounds - 1)));
    }

    private CompletableFuture<ClaimReply> taken(Claiming claiming, Held held, Before before, long sentNanos) {
        ClaimState state = claiming.state;
        state.take(held);
        events.seen(state.election(), held.note().token()); // also if it is never known whether it was granted
        if (!claiming.isNewest() || over) {
            throw overtaken(Effect.UNKNOWN); // the release that came meanwhile gives it up
        }
        if (renewalSentNanos - sentNanos > 0) {
            return confirm(claiming, held, before, ROUNDS_MAX);
        }
        return CompletableFuture.completedFuture(
                new ClaimReply.Granted(held.token(), held.nonce(), before.takeover, before.standoff));
    }

    private CompletableFuture<ClaimReply> confirm(Claiming claiming, Held held, Before before, int rounds) {
        long sentNanos = host.nanos();
        return context.write(held.lease(), held.lease().renewed(held.note(), now()))
                .thenCompose(written -> written.map(
                                now -> taken(claiming, new Held(now, held.note()), before, sentNanos))
                        .orElseGet(() -> look(claiming, rounds - 1)));
    }

    private void ensureNewest(Claiming claiming) {
        if (!claiming.isNewest() || over) {
            throw overtaken(Effect.NONE);
        }
    }

    private static BackendException overtaken(Effect effect) {
        return new BackendException(
                effect, Kind.UNREACHABLE, "this call was overtaken by a newer one, or by the end of its session");
    }

    private static BackendException unknown(String why) {
        return new BackendException(Effect.UNKNOWN, Kind.UNREACHABLE, why);
    }

    // ---- release

    @Override
    public CompletionStage<ReleaseReply> release(ElectionName election, Nonce nonce) {
        ClaimState state = states.computeIfAbsent(election, ClaimState::new);
        state.order().nextCall();
        state.stopWaiting();
        return state.inTurn(() -> vacate(state, nonce, ROUNDS_MAX));
    }

    private CompletableFuture<ReleaseReply> vacate(ClaimState state, Nonce nonce, int rounds) {
        Optional<Held> held = state.held().filter(one -> state.order().isUpTo(one.nonce(), nonce));
        held.ifPresent(one -> state.drop(one.nonce()));
        CompletableFuture<ElectionLease> found = held.map(one -> CompletableFuture.completedFuture(one.lease()))
                .orElseGet(() -> context.get(state.election()));
        return found.thenCompose(lease -> {
            boolean mine = isMine(lease)
                    && (held.isPresent()
                            || lease.term()
                                    .filter(note -> state.order().isUpTo(note.nonce(), nonce))
                                    .isPresent());
            // A claim of unknown outcome can still be applied over the version that it expects, so that version has to
            // go.
            if (!mine && !state.order().open().containsValue(lease.version())) {
                return CompletableFuture.completedFuture(ReleaseReply.NOT_HELD);
            }
            boolean moves = !mine && lease.lease().isPresent();
            Lease next = moves ? lease.moved(now().toString()) : lease.vacated(now());
            return context.write(lease, next).thenCompose(written -> {
                if (written.isPresent()) {
                    state.order().settledIf((claim, version) -> version.equals(lease.version()));
                    return CompletableFuture.completedFuture(mine ? ReleaseReply.RELEASED : ReleaseReply.NOT_HELD);
                }
                if (rounds > 1) {
                    return vacate(state, nonce, rounds - 1);
                }
                throw new BackendException(
                        Effect.NONE,
                        Kind.UNREACHABLE,
                        "the Lease of " + state.election() + " is being changed all the time");
            });
        });
    }

    @Override
    public CompletionStage<Boolean> holds(Term term) {
        return context.get(term.election())
                .thenApply(lease -> isMine(lease)
                        && lease.term()
                                .filter(note -> note.nonce().equals(term.nonce())
                                        && note.token() == term.token().value())
                                .isPresent());
    }

    // ---- what others do

    private void onWatched(ElectionLease lease) {
        ClaimState state = states.get(lease.election());
        if (over || state == null) {
            return;
        }
        context.silence().saw(lease, host.nanos());
        Optional<Held> held = state.held();
        if (held.isPresent()) {
            boolean older = lease.lease().isPresent()
                    && lease.number() < held.get().lease().number();
            boolean same = lease.note()
                    .filter(note -> note.nonce().equals(held.get().nonce()))
                    .isPresent();
            if (!older && isMine(lease) && same) {
                keep(state, new Held(lease, held.get().note()));
            } else if (!older) {
                events.changed(state.election());
            }
        } else if (state.waits()) {
            if (lease.isVacant()) {
                events.changed(state.election());
            } else {
                await(state, context.silentAtNanos(lease, ttl.toNanos()));
            }
        }
    }

    @Override
    public CompletionStage<Boolean> catchUp() {
        Set<ElectionName> waiting = states.values().stream()
                .filter(ClaimState::waits)
                .map(ClaimState::election)
                .collect(Collectors.toCollection(HashSet::new));
        return CompletableFuture.completedFuture(context.watches().isCurrent(waiting));
    }

    @Override
    public CompletionStage<Void> clear(OperatorRequest request) {
        ClaimState state = states.computeIfAbsent(request.election(), ClaimState::new);
        return state.inTurn(() -> clear(state, request, ROUNDS_MAX));
    }

    private CompletableFuture<Void> clear(ClaimState state, OperatorRequest request, int rounds) {
        return context.get(state.election()).thenCompose(lease -> {
            if (rounds == 0 || lease.request().filter(request::equals).isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            return context.write(lease, lease.withoutRequest()).thenCompose(written -> {
                written.flatMap(now -> state.held().filter(held -> isMine(now)).map(held -> new Held(now, held.note())))
                        .ifPresent(state::update);
                return written.isPresent()
                        ? CompletableFuture.completedFuture(null)
                        : clear(state, request, rounds - 1);
            });
        });
    }

    @Override
    public void abandon() {
        over = true;
        watch.close();
        states.values().forEach(ClaimState::stopWaiting);
    }

    @Override
    public CompletionStage<Void> close() {
        abandon();
        return CompletableFuture.allOf(states.values().stream()
                .flatMap(state -> state.newest().map(nonce -> release(state.election(), nonce)).stream())
                .map(CompletionStage::toCompletableFuture)
                .toArray(CompletableFuture[]::new));
    }
}
