// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.Backend;
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
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** The way of one process to its store, which a test can cut. A call that is lost is never answered. */
final class BackendLink {
    /** What gets through. */
    enum State {
        UP,
        /** Neither requests nor answers. */
        CUT,
        /** Requests, which take effect; no answers. */
        DEAF
    }

    /** The calls whose answers can be lost one by one. */
    enum Verb {
        RENEW,
        CLAIM,
        RELEASE,
        OTHER
    }

    private final Map<Verb, AtomicInteger> toLose = new EnumMap<>(Verb.class);
    private final List<Object> lost = new CopyOnWriteArrayList<>();
    private volatile State state = State.UP;

    BackendLink() {
        for (Verb verb : Verb.values()) {
            toLose.put(verb, new AtomicInteger());
        }
    }

    void become(State now) {
        state = now;
    }

    /** The next call of this kind that succeeds takes effect, and its answer is lost. */
    void loseNextAnswerTo(Verb verb) {
        toLose(verb).incrementAndGet();
    }

    /** The answers that were lost, in their order. */
    List<Object> lost() {
        return List.copyOf(lost);
    }

    Backend to(Backend backend) {
        return new FarBackend(backend);
    }

    private AtomicInteger toLose(Verb verb) {
        return Optional.ofNullable(toLose.get(verb)).orElseThrow();
    }

    private <T> CompletionStage<T> over(Verb verb, Supplier<CompletionStage<T>> call) {
        return over(verb, call, reply -> reply);
    }

    private <T, R> CompletionStage<R> over(Verb verb, Supplier<CompletionStage<T>> call, Function<T, R> arriving) {
        CompletableFuture<R> answer = new CompletableFuture<>();
        if (state == State.CUT) {
            return answer;
        }
        boolean loses = toLose(verb).getAndUpdate(count -> Math.max(0, count - 1)) > 0;
        call.get().whenComplete((reply, failure) -> {
            if (loses && failure != null) {
                toLose(verb).incrementAndGet(); // there was no answer to lose
            }
            if ((loses && failure == null) || state != State.UP) {
                if (failure == null && reply != null) {
                    lost.add(reply);
                }
            } else if (failure == null) {
                answer.complete(arriving.apply(reply));
            } else {
                answer.completeExceptionally(failure);
            }
        });
        return answer;
    }

    private void ifUp(Runnable event) {
        if (state == State.UP) {
            event.run();
        }
    }

    private final class FarBackend implements Backend {
        private final Backend backend;

        FarBackend(Backend backend) {
            this.backend = backend;
        }

        @Override
        public BackendTraits traits() {
            return backend.traits();
        }

        @Override
        public CompletionStage<BackendSession> open(SessionRequest request, SessionEvents events) {
            return over(Verb.OTHER, () -> backend.open(request, new FarEvents(events)), FarSession::new);
        }

        @Override
        public CompletionStage<Observation> read(ElectionName election) {
            return over(Verb.OTHER, () -> backend.read(election));
        }

        @Override
        public CompletionStage<List<Observation>> list() {
            return over(Verb.OTHER, backend::list);
        }

        @Override
        public Watch watch(Consumer<ElectionName> changed) {
            return backend.watch(election -> ifUp(() -> changed.accept(election)));
        }

        @Override
        public CompletionStage<Void> request(OperatorRequest request) {
            return over(Verb.OTHER, () -> backend.request(request));
        }

        @Override
        public CompletionStage<StoreEra> era() {
            return over(Verb.OTHER, backend::era);
        }

        @Override
        public CompletionStage<StoreEra> raiseEra(int atLeast) {
            return over(Verb.OTHER, () -> backend.raiseEra(atLeast));
        }

        @Override
        public void close() {
            backend.close();
        }
    }

    private final class FarSession implements BackendSession {
        private final BackendSession session;

        FarSession(BackendSession session) {
            this.session = session;
        }

        @Override
        public String id() {
            return session.id();
        }

        @Override
        public Duration ttl() {
            return session.ttl();
        }

        @Override
        public StoreEra era() {
            return session.era();
        }

        @Override
        public CompletionStage<RenewReply> renew() {
            return over(Verb.RENEW, session::renew);
        }

        @Override
        public CompletionStage<ClaimReply> claim(ClaimRequest request) {
            return over(Verb.CLAIM, () -> session.claim(request));
        }

        @Override
        public CompletionStage<ReleaseReply> release(ElectionName election, Nonce nonce) {
            return over(Verb.RELEASE, () -> session.release(election, nonce));
        }

        @Override
        public CompletionStage<Boolean> holds(Term term) {
            return over(Verb.OTHER, () -> session.holds(term));
        }

        @Override
        public void abandon() {
            session.abandon();
        }

        @Override
        public CompletionStage<Void> clear(OperatorRequest request) {
            return over(Verb.OTHER, () -> session.clear(request));
        }

        @Override
        public CompletionStage<Void> close() {
            return over(Verb.OTHER, session::close);
        }
    }

    private final class FarEvents implements SessionEvents {
        private final SessionEvents events;

        FarEvents(SessionEvents events) {
            this.events = events;
        }

        @Override
        public void granted(ElectionName election, ClaimReply.Granted grant) {
            ifUp(() -> events.granted(election, grant));
        }

        @Override
        public void changed(ElectionName election) {
            ifUp(() -> events.changed(election));
        }

        @Override
        public void tokenObserved(ElectionName election, long token) {
            ifUp(() -> events.tokenObserved(election, token));
        }

        @Override
        public void requested(OperatorRequest request) {
            ifUp(() -> events.requested(request));
        }

        @Override
        public void lost(String why) {
            ifUp(() -> events.lost(why));
        }
    }
}
