// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.peers.connection.PeerMessage.LeaderRecord;
import dev.tenure.peers.group.PeersSettings;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.Batcher;
import dev.tenure.spi.support.StoreUrl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The liveness of the candidates that stand here. It lives in this process: what a renewal proves is that a majority still holds others
 * off in every election of the session, by an answer to something that was sent after the renewal was asked for.
 */
final class PeersSession implements BackendSession {
    private final String id;
    private final Member member;
    private final StoreEra era;
    private final Set<ElectionInstance> held = new HashSet<>();
    private final List<Renewal> renewals = new ArrayList<>();
    private long renewedNanos;
    private Optional<String> end = Optional.empty();
    /** Nobody, once it is abandoned. */
    private volatile Optional<SessionEvents> events;

    /** @param open the elections in which no majority has answered since */
    private record Renewal(long askedNanos, Set<ElectionInstance> open, CompletableFuture<RenewReply> reply) {}

    PeersSession(String id, Member member, SessionEvents events, StoreEra era) {
        this.id = id;
        this.member = member;
        this.events = Optional.of(events);
        this.era = era;
        this.renewedNanos = member.host.nanos();
        expireUnlessRenewed();
    }

    private void expireUnlessRenewed() {
        long seenNanos = renewedNanos;
        long atNanos = seenNanos + ttl().toNanos();
        member.host.wakeAt(atNanos, () -> {
            if (end.isPresent()) {
                return;
            }
            if (renewedNanos == seenNanos) {
                String why = "it was not renewed for its TTL";
                var unused = finish(why, LeaderRecord.Fate.ENDED);
                events.ifPresent(listener -> listener.lost(why));
            } else {
                expireUnlessRenewed();
            }
        });
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public Duration ttl() {
        return member.settings.profile().ttl();
    }

    @Override
    public StoreEra era() {
        return era;
    }

    @Override
    public boolean pushesClaimLoss() {
        return true;
    }

    @Override
    public CompletionStage<RenewReply> renew() {
        return member.onLoop(this::renewNow);
    }

    private CompletableFuture<RenewReply> renewNow() {
        if (end.isPresent()) {
            return CompletableFuture.completedFuture(new RenewReply.Gone(end.get()));
        }
        boolean alone = member.settings.rules().hasTerms() && !member.reachesMajority();
        if (alone && held.isEmpty()) {
            return CompletableFuture.failedFuture(PeerObserver.noMajority("this member is cut off"));
        }
        renewedNanos = member.host.nanos();
        if (held.isEmpty()) {
            return CompletableFuture.completedFuture(new RenewReply.Renewed(ttl()));
        }
        Renewal renewal = new Renewal(renewedNanos, new HashSet<>(held), new CompletableFuture<>());
        renewals.add(renewal);
        member.host.wakeAt(renewedNanos + ttl().toNanos(), () -> giveUp(renewal));
        for (ElectionInstance instance : Set.copyOf(held)) {
            instance.beat();
            confirmed(instance);
        }
        return renewal.reply();
    }

    private void giveUp(Renewal renewal) {
        if (renewals.remove(renewal)) {
            renewal.reply().completeExceptionally(PeerObserver.noMajority("nobody has answered a heartbeat"));
        }
    }

    /** A majority has answered something in this election. */
    void confirmed(ElectionInstance instance) {
        settle(instance, instance.confirmedNanos());
    }

    /** Renewals that were asked for until then need not wait for this election any more. */
    private void settle(ElectionInstance instance, long untilNanos) {
        for (Renewal renewal : List.copyOf(renewals)) {
            boolean answered =
                    untilNanos >= renewal.askedNanos() && renewal.open().remove(instance);
            if (answered && renewal.open().isEmpty() && renewals.remove(renewal)) {
                renewal.reply().complete(new RenewReply.Renewed(ttl()));
            }
        }
    }

    /** When it was last asked to be renewed: from then on it may believe, in all that it has. */
    long renewedNanos() {
        return renewedNanos;
    }

    void nowHolds(ElectionInstance instance) {
        held.add(instance);
    }

    /** It has given that one up by itself. */
    void noLongerHolds(ElectionInstance instance) {
        held.remove(instance);
        settle(instance, Long.MAX_VALUE);
    }

    /** It has lost that one: no renewal that was to keep it too is acknowledged, and it is told before the next one is. */
    void lost(ElectionInstance instance) {
        held.remove(instance);
        for (Renewal renewal : List.copyOf(renewals)) {
            if (renewal.open().contains(instance)) {
                giveUp(renewal);
            }
        }
        events.ifPresent(listener -> listener.changed(instance.election));
    }

    void push(ElectionName election, ClaimReply.Granted grant) {
        events.ifPresent(listener -> listener.granted(election, grant));
    }

    void deliver(OperatorRequest request) {
        events.ifPresent(listener -> listener.requested(request));
    }

    @Override
    public CompletionStage<ClaimReply> claim(ClaimRequest request) {
        return member.onLoop(() -> {
            if (end.isPresent()) {
                return CompletableFuture.failedFuture(Batcher.overtaken());
            }
            return member.instance(request.election())
                    .map(instance -> instance.grants.claim(this, request))
                    .orElseGet(() -> CompletableFuture.failedFuture(StoreUrl.refused(
                            "a group can have at most " + PeersSettings.ELECTIONS_MAX + " elections")));
        });
    }

    @Override
    public CompletionStage<ReleaseReply> release(ElectionName election, Nonce nonce) {
        return member.onLoop(() -> known(election)
                .map(instance -> instance.grants.release(this, nonce))
                .orElse(CompletableFuture.completedFuture(ReleaseReply.NOT_HELD)));
    }

    @Override
    public CompletionStage<Boolean> holds(Term term) {
        return member.onLoop(() -> CompletableFuture.completedFuture(known(term.election())
                .filter(instance -> instance.grants.holds(this, term))
                .isPresent()));
    }

    private Optional<ElectionInstance> known(ElectionName election) {
        return Optional.ofNullable(member.instances.get(election));
    }

    /** Nothing is left behind: a request goes to the holder at once. */
    @Override
    public CompletionStage<Void> clear(OperatorRequest request) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void abandon() {
        events = Optional.empty();
    }

    @Override
    public CompletionStage<Void> close() {
        return member.onLoop(() -> end.isPresent()
                ? CompletableFuture.completedFuture(null)
                : finish("it was closed", LeaderRecord.Fate.RELEASED));
    }

    private CompletableFuture<Void> finish(String why, LeaderRecord.Fate fate) {
        end = Optional.of(why);
        renewals.forEach(renewal -> renewal.reply().complete(new RenewReply.Gone(why)));
        renewals.clear();
        return CompletableFuture.allOf(List.copyOf(member.instances.values()).stream()
                .map(instance -> instance.grants.leave(this, fate))
                .toArray(CompletableFuture[]::new));
    }
}
