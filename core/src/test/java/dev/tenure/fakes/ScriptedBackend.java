// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fakes;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Grade;
import dev.tenure.Leader;
import dev.tenure.Nonce;
import dev.tenure.Scope;
import dev.tenure.Term;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Observation;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.SessionRequest;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/** A store with sessions whose claims the test answers itself, as late and in whatever order it likes. */
public final class ScriptedBackend implements Backend {
    /** A claim that was sent, and its answer. */
    public record Asked(ClaimRequest request, CompletableFuture<ClaimReply> answer) {}

    public final List<Asked> claims = new ArrayList<>();
    public final List<Term> checks = new ArrayList<>();
    /** The sessions that were asked to end, as often as they were. */
    public final List<String> closes = new ArrayList<>();

    /** Whom it shows to those who look. */
    public Optional<Leader> leader = Optional.empty();

    /** What the next renewals report. */
    public final List<RenewReply.LostClaim> lostClaims = new ArrayList<>();

    /** Answers those who look. */
    public Function<ElectionName, CompletionStage<Observation>> onRead =
            election -> CompletableFuture.completedFuture(new Observation(election, leader, 0));

    /** Called whenever the engine looks at the traits, as it does when it has published a new deadline. */
    public Runnable atTraits = () -> {};

    public boolean tellsOfLoss;
    /** Nobody gets through to it with the wish to end a session. */
    public boolean deafToClosing;

    public final List<SessionEvents> listeners = new ArrayList<>();

    private static final StoreEra ERA = new StoreEra("scripted", 0);

    @Override
    public BackendTraits traits() {
        atTraits.run();
        return BackendTraits.of("scripted:")
                .grade(Grade.A, "")
                .scope(Scope.CLUSTER)
                .ttl(Duration.ofMillis(100), Duration.ofHours(1))
                .expiry(BackendTraits.ExpiryDetection.SERVER_TTL)
                .tokens(BackendTraits.TokenSource.REVISION)
                .wakeup(BackendTraits.Wakeup.QUEUE)
                .build();
    }

    @Override
    public CompletionStage<BackendSession> open(SessionRequest request, SessionEvents events) {
        listeners.add(events);
        return CompletableFuture.completedFuture(new Session("session-" + listeners.size(), request.ttl()));
    }

    /** The head of the queue is told that its turn has come. */
    public void push(ClaimRequest request, long token) {
        ClaimReply.Granted grant =
                new ClaimReply.Granted(new FencingToken(token), request.nonce(), false, Duration.ZERO);
        listeners.forEach(events -> events.granted(request.election(), grant));
    }

    /** The newest session is told that it is gone. */
    public void lose(String why) {
        listeners.get(listeners.size() - 1).lost(why);
    }

    /** Somebody in this process comes across a token. */
    public void show(ElectionName election, long token) {
        listeners.forEach(events -> events.tokenObserved(election, token));
    }

    public void stick(ElectionName election, String why) {
        listeners.forEach(events -> events.blocked(election, why));
    }

    public void reconnect() {
        listeners.forEach(SessionEvents::reconnected);
    }

    @Override
    public CompletionStage<Observation> read(ElectionName election) {
        return onRead.apply(election);
    }

    @Override
    public CompletionStage<List<Observation>> list() {
        return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public Watch watch(Consumer<ElectionName> changed) {
        return () -> {};
    }

    @Override
    public CompletionStage<Void> request(OperatorRequest request) {
        return done();
    }

    @Override
    public CompletionStage<StoreEra> era() {
        return CompletableFuture.completedFuture(ERA);
    }

    @Override
    public CompletionStage<StoreEra> raiseEra(int atLeast) {
        return era();
    }

    @Override
    public void close() {}

    private static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }

    private final class Session implements BackendSession {
        private final String id;
        private final Duration ttl;

        Session(String id, Duration ttl) {
            this.id = id;
            this.ttl = ttl;
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
            return ERA;
        }

        @Override
        public CompletionStage<RenewReply> renew() {
            return CompletableFuture.completedFuture(new RenewReply.Renewed(ttl, lostClaims));
        }

        @Override
        public CompletionStage<ClaimReply> claim(ClaimRequest request) {
            Asked asked = new Asked(request, new CompletableFuture<>());
            claims.add(asked);
            return asked.answer();
        }

        @Override
        public CompletionStage<ReleaseReply> release(ElectionName election, Nonce nonce) {
            return CompletableFuture.completedFuture(ReleaseReply.RELEASED);
        }

        @Override
        public CompletionStage<Boolean> holds(Term term) {
            checks.add(term);
            return CompletableFuture.completedFuture(true);
        }

        @Override
        public boolean pushesClaimLoss() {
            return tellsOfLoss;
        }

        @Override
        public CompletionStage<Void> clear(OperatorRequest request) {
            return done();
        }

        @Override
        public void abandon() {}

        @Override
        public CompletionStage<Void> close() {
            closes.add(id);
            return deafToClosing
                    ? CompletableFuture.failedFuture(new BackendException(
                            BackendException.Effect.UNKNOWN, BackendException.Kind.UNREACHABLE, "no way to the store"))
                    : done();
        }
    }
}
