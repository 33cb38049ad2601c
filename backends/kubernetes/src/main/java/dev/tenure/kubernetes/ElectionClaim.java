// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Host;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.support.ClaimOrder;
import dev.tenure.spi.support.Stages;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * What a session has in one election. Its claims, releases and removals of requests run one after the other. Loop-confined.
 *
 * <p><b>A claim</b> reads the Lease and decides. Nobody holds it, or this session under an older nonce: take it. Its holder was silent for its
 * duration, by the clock of this process and no other: take it over. This session holds it under this very nonce, because an answer was lost:
 * write it once more, and only then believe it. Else wait. To take is one write on the version that was read; its own version is the token.
 *
 * <p><b>The deadline</b> of the session counts from before the last renewal was sent, and others count from a later moment: from the write of that
 * renewal or of the claim. A renewal that was sent after a claim, and before its answer came, does not carry that claim and yet moves the
 * deadline; so the claim is written once more before it is granted.
 *
 * <p><b>A renewal</b> that is refused is read back. If the Lease still is of this term (an operator's request or an earlier renewal of unknown
 * outcome has changed it), it is renewed from there; else the claim is lost. The first one notes the token. Where the server
 * refuses the write of one Lease and not of all, that claim is lost, after some attempts: a server that has just started may refuse too.
 */
final class ElectionClaim {
    private static final int ROUNDS_MAX = 3;
    private static final long JITTER_NANOS = 20_000_000;
    private static final long RETRY_NANOS = 5 * JITTER_NANOS;
    private static final long PREFERENCE_LOOKS_PER_TTL = 4;
    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    /** @param lease as it stands under this term */
    private record Held(ElectionLease lease, TermNote note) {}

    /** Whether the predecessor was ended by somebody else, and how long it may still believe. */
    private record Predecessor(boolean ended, Duration belief) {}

    private final KubernetesSession session;
    private final ElectionLeases leases;
    private final ElectionName election;
    /** An open claim is marked with the version that it expects; 0 means that there is no Lease. */
    private final ClaimOrder<Long> order = new ClaimOrder<>();

    private Predecessor before = new Predecessor(false, Duration.ZERO);
    private Optional<Nonce> newest = Optional.empty();
    private Optional<Held> held = Optional.empty();
    private Optional<Host.Timer> waiting = Optional.empty();
    private CompletableFuture<?> last = CompletableFuture.completedFuture(null);

    ElectionClaim(KubernetesSession session, ElectionLeases leases, ElectionName election) {
        this.session = session;
        this.leases = leases;
        this.election = election;
    }

    private <T> CompletableFuture<T> inTurn(Supplier<CompletableFuture<T>> call) {
        CompletableFuture<T> mine = last.handle((done, failure) -> true).thenCompose(ready -> call.get());
        last = mine;
        return mine;
    }

    // ---- renewal

    /** Empty if there is nothing to renew. If the claim is lost, the session knows it when this completes. */
    Optional<CompletableFuture<Void>> renew() {
        return held.map(one -> renew(one, ROUNDS_MAX)
                .exceptionallyCompose(failure -> ApiErrors.isOfOneLease(failure) && session.keepsFailingInPart()
                        ? lost(one.note.nonce())
                        : CompletableFuture.failedFuture(failure)));
    }

    private CompletableFuture<Void> renew(Held now, int rounds) {
        return leases.api()
                .replaceFirst(now.lease.renewed(now.note, leases.now()))
                .thenCompose(written -> {
                    if (written.isPresent()) {
                        session.claimRenewed();
                        keep(new Held(new ElectionLease(election, written), now.note));
                        return DONE;
                    }
                    return leases.reread(election).thenCompose(found -> {
                        Nonce nonce = now.note.nonce();
                        boolean mine = session.isMine(found)
                                && found.note()
                                        .filter(note -> !note.nonce().equals(nonce))
                                        .isEmpty();
                        if (mine && rounds > 1) {
                            return renew(new Held(found, now.note), rounds - 1);
                        }
                        if (mine) {
                            throw leases.changesAllTheTime(election, Effect.UNKNOWN);
                        }
                        return lost(nonce);
                    });
                });
    }

    /** To be told also if an earlier renewal has found it: that one may not have told it. */
    private CompletableFuture<Void> lost(Nonce nonce) {
        session.lost(election, nonce);
        if (drop(nonce)) {
            session.events().changed(election); // core looks at once
        }
        return DONE;
    }

    /** It stands as it was written or shown, unless it was given up meanwhile or a newer version of it is known. */
    private void keep(Held now) {
        boolean news = held.filter(known ->
                        known.note.nonce().equals(now.note.nonce()) && known.lease.version() <= now.lease.version())
                .isPresent();
        if (news) {
            held = Optional.of(now);
            now.lease.request().ifPresent(session.events()::requested);
            now.lease
                    .prefersAnother(session.identity())
                    .ifPresent(preferred -> session.events()
                            .requested(new OperatorRequest(
                                    election,
                                    OperatorRequest.Verb.RESIGN,
                                    new FencingToken(now.note.token()),
                                    "the coordinator of " + preferred)));
        }
    }

    /** False if it is not held under this nonce. */
    private boolean drop(Nonce nonce) {
        boolean same = held.filter(known -> known.note.nonce().equals(nonce)).isPresent();
        held = same ? Optional.empty() : held;
        return same;
    }

    // ---- claim

    CompletableFuture<ClaimReply> claim(ClaimRequest request) {
        order.claims(request.nonce());
        newest = Optional.of(request.nonce());
        Attempt attempt = new Attempt(request, order.nextCall());
        return inTurn(() -> attempt.look(ROUNDS_MAX));
    }

    /** One claim. A newer call for the same election stops it. */
    private final class Attempt {
        private final ClaimRequest request;
        private final long call;

        Attempt(ClaimRequest request, long call) {
            this.request = request;
            this.call = call;
        }

        private void requireNewest(Effect effect) {
            if (order.newestCall() != call || session.isOver()) {
                throw KubernetesSession.overtaken(effect);
            }
        }

        CompletableFuture<ClaimReply> look(int rounds) {
            requireNewest(Effect.NONE);
            if (rounds == 0) { // others write to it all the time
                await(leases.host().nanos() + RETRY_NANOS);
                return CompletableFuture.completedFuture(new ClaimReply.Waiting(Optional.empty(), false));
            }
            CompletableFuture<?> era = session.checkEra();
            return leases.get(election).thenCompose(lease -> era.thenCompose(done -> decide(lease, rounds)));
        }

        private CompletableFuture<ClaimReply> decide(ElectionLease lease, int rounds) {
            requireNewest(Effect.NONE);
            long ttlNanos = session.ttl().toNanos();
            if (session.isMine(lease)) {
                Optional<TermNote> mine =
                        lease.term().filter(note -> note.nonce().equals(request.nonce()));
                return mine.isPresent() ? confirm(new Held(lease, mine.get()), rounds) : take(lease, rounds);
            }
            if (lease.tokenMax() > 0) {
                session.events().tokenObserved(election, lease.tokenMax());
            }
            if (lease.isVacant() && lease.prefersAnother(session.identity()).isEmpty()) {
                // A holder that somebody else has ended may not know it yet.
                boolean blanked = lease.isBlanked();
                Duration longest = Collections.max(List.of(session.ttl(), lease.duration()));
                before = new Predecessor(blanked, blanked ? longest : Duration.ZERO);
                return take(lease, rounds);
            }
            if (!lease.isVacant() && leases.isSilent(lease, ttlNanos)) {
                before = new Predecessor(true, Duration.ZERO);
                return take(lease, rounds);
            }
            if (leases.isOutdated(lease)) {
                return look(rounds - 1); // a watch was faster, and nobody waited then for what it has shown
            }
            long silentAtNanos = leases.silentAtNanos(lease, ttlNanos);
            long nowNanos = leases.host().nanos();
            boolean comes = silentAtNanos - nowNanos > 0; // else nobody holds it, and somebody else is preferred
            await(comes ? silentAtNanos : nowNanos + ttlNanos / PREFERENCE_LOOKS_PER_TTL);
            return CompletableFuture.completedFuture(
                    new ClaimReply.Waiting(lease.leader(() -> leases.tokenOfForeign(lease)), false));
        }

        private CompletableFuture<ClaimReply> take(ElectionLease lease, int rounds) {
            stopWaiting();
            Host host = leases.host();
            int era = Math.max(leases.era().known().era(), (int) (lease.tokenMax() >>> FencingToken.SEQUENCE_BITS));
            TermNote.Shown shown =
                    new TermNote.Shown(request.holder(), Instant.ofEpochMilli(host.wallMillis()), request.metadata());
            TermNote note = new TermNote(era, 0, lease.tokenMax(), request.nonce(), session.identity(), shown);
            Object attempt = new Object();
            order.opened(attempt, lease.version());
            long sentNanos = host.nanos();
            return leases.write(lease, lease.taken(note, session.ttl(), leases.now()))
                    .whenComplete((written, failure) -> {
                        if (failure == null || Stages.effectOf(failure) == Effect.NONE) {
                            order.settled(attempt);
                        }
                    })
                    .thenCompose(written -> written.map(
                                    now -> taken(new Held(now, note.issued(now.version())), sentNanos))
                            .orElseGet(() -> look(rounds - 1)));
        }

        private CompletableFuture<ClaimReply> taken(Held now, long sentNanos) {
            held = Optional.of(now);
            order.settledIf((claim, version) -> true); // they expect versions that have gone
            FencingToken token = new FencingToken(now.note.token());
            session.events().tokenObserved(election, token.value()); // also if it is never known whether it was granted
            requireNewest(Effect.UNKNOWN); // the release that came meanwhile gives it up
            return session.renewalSentNanos() - sentNanos > 0
                    ? confirm(now, ROUNDS_MAX)
                    : CompletableFuture.completedFuture(
                            new ClaimReply.Granted(token, now.note.nonce(), before.ended, before.belief));
        }

        private CompletableFuture<ClaimReply> confirm(Held now, int rounds) {
            long sentNanos = leases.host().nanos();
            return leases.writeFirst(now.lease, now.lease.renewed(now.note, leases.now()))
                    .thenCompose(written -> written.map(lease -> taken(new Held(lease, now.note), sentNanos))
                            .orElseGet(() -> look(rounds - 1)));
        }
    }

    /** Nothing is notified when a process dies, so the Lease is read again when its time is over. */
    private void await(long atNanos) {
        stopWaiting();
        long jitterNanos = Long.remainderUnsigned(leases.host().random(), JITTER_NANOS);
        waiting = Optional.of(leases.host()
                .wakeAt(atNanos + jitterNanos, () -> session.events().changed(election)));
    }

    boolean waits() {
        return waiting.isPresent();
    }

    void stopWaiting() {
        waiting.ifPresent(Host.Timer::cancel);
        waiting = Optional.empty();
    }

    // ---- release

    CompletableFuture<ReleaseReply> release(Nonce nonce) {
        order.nextCall();
        stopWaiting();
        return inTurn(() -> vacate(nonce, ROUNDS_MAX));
    }

    Optional<CompletableFuture<ReleaseReply>> releaseAll() {
        return newest.map(this::release);
    }

    private CompletableFuture<ReleaseReply> vacate(Nonce nonce, int rounds) {
        Optional<Held> given = held.filter(one -> order.isUpTo(one.note.nonce(), nonce));
        given.ifPresent(one -> drop(one.note.nonce()));
        CompletableFuture<ElectionLease> found =
                given.map(one -> CompletableFuture.completedFuture(one.lease)).orElseGet(() -> leases.get(election));
        return found.thenCompose(lease -> {
            boolean mine = session.isMine(lease)
                    && (given.isPresent()
                            || lease.term()
                                    .filter(note -> order.isUpTo(note.nonce(), nonce))
                                    .isPresent());
            // A claim of unknown outcome can still be applied over the version that it expects: that version has to go.
            if (!mine && !order.open().containsValue(lease.version())) {
                return CompletableFuture.completedFuture(ReleaseReply.NOT_HELD);
            }
            boolean moves = !mine && lease.lease().isPresent();
            Lease next = moves ? lease.moved(leases.now()) : lease.vacated(leases.now());
            return leases.writeFirst(lease, next).thenCompose(written -> {
                if (written.isPresent()) {
                    order.settledIf((claim, version) -> version == lease.version());
                    return CompletableFuture.completedFuture(mine ? ReleaseReply.RELEASED : ReleaseReply.NOT_HELD);
                }
                if (rounds > 1) {
                    return vacate(nonce, rounds - 1);
                }
                throw leases.changesAllTheTime(election, Effect.NONE);
            });
        });
    }

    // ---- what others do

    CompletionStage<Boolean> holds(Term term) {
        return leases.get(election)
                .thenApply(lease -> session.isMine(lease)
                        && lease.note()
                                .filter(note -> note.nonce().equals(term.nonce()) && isOfToken(lease, note, term))
                                .isPresent());
    }

    /**
     * Before the first renewal no token is noted, and others may have written to the Lease: its version is not that of the claim any more. But it
     * is the same Lease, and not one that a late duplicate of the claim has made.
     */
    private boolean isOfToken(ElectionLease lease, TermNote note, Term term) {
        return note.token() > 0
                ? note.token() == term.token().value()
                : held.filter(known -> known.lease.uid().equals(lease.uid())).isPresent();
    }

    void onWatched(ElectionLease lease) {
        leases.observed(lease);
        if (held.isPresent()) {
            Held known = held.get();
            boolean older = lease.lease().isPresent() && lease.version() < known.lease.version();
            boolean same = lease.note()
                    .filter(note -> note.nonce().equals(known.note.nonce()))
                    .isPresent();
            if (!older && session.isMine(lease) && same) {
                keep(new Held(lease, known.note));
            } else if (!older) {
                session.events().changed(election);
            }
        } else if (waits()) {
            if (lease.isVacant()) {
                session.events().changed(election);
            } else {
                await(leases.silentAtNanos(lease, session.ttl().toNanos()));
            }
        }
    }

    CompletableFuture<Void> clear(OperatorRequest request) {
        return inTurn(() -> leases.change(
                        election,
                        lease -> lease.request().filter(request::equals).map(left -> lease.withoutRequest()))
                .thenAccept(written -> held.filter(
                                known -> written.filter(session::isMine).isPresent())
                        .ifPresent(known -> keep(new Held(written.get(), known.note)))));
    }
}
