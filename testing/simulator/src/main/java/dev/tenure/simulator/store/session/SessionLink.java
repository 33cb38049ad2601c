// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store.session;

import dev.tenure.ElectionName;
import dev.tenure.Grade;
import dev.tenure.Nonce;
import dev.tenure.Scope;
import dev.tenure.Term;
import dev.tenure.simulator.store.Call;
import dev.tenure.simulator.store.SimulatedLink;
import dev.tenure.simulator.store.StoreHistory;
import dev.tenure.simulator.trace.WorldTrace;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The session door as one process has it: every call travels over its {@link SimulatedLink}. */
public final class SessionLink implements Backend {
    private final SessionServer server;
    private final SimulatedLink link;
    private final StoreHistory history;
    private final BackendTraits traits;

    public SessionLink(SessionServer server, SimulatedLink link, StoreHistory history) {
        this.server = server;
        this.link = link;
        this.history = history;
        this.traits = BackendTraits.of("simulated session store")
                .grade(Grade.A, "")
                .scope(Scope.CLUSTER)
                .ttl(Duration.ofMillis(100), Duration.ofDays(1))
                .expiry(BackendTraits.ExpiryDetection.SERVER_TTL)
                .tokens(BackendTraits.TokenSource.REVISION)
                .wakeup(server.queues() ? BackendTraits.Wakeup.QUEUE : BackendTraits.Wakeup.WATCH)
                .build();
    }

    @Override
    public BackendTraits traits() {
        return traits;
    }

    /** One request: what it is called, on which election, and what the store does. */
    private final class Ask<T> extends Call<T> {
        private final String what;
        private final int election;
        private final Supplier<T> effect;
        private final Consumer<T> seen;

        Ask(String what, int election, boolean writes, Supplier<T> effect, Consumer<T> seen) {
            super(link, writes);
            this.what = what;
            this.election = election;
            this.effect = effect;
            this.seen = seen;
        }

        @Override
        protected T apply() {
            return effect.get();
        }

        @Override
        protected void delivered(T reply) {
            seen.accept(reply);
        }

        @Override
        protected long code() {
            return ((long) what.hashCode() << 8) ^ election;
        }

        @Override
        public String toString() {
            return election == WorldTrace.NONE ? what : what + " e" + election;
        }
    }

    private <T> CompletableFuture<T> look(String what, int election, Supplier<T> effect, Consumer<T> seen) {
        return link.send(new Ask<>(what, election, false, effect, seen));
    }

    private <T> CompletableFuture<T> change(String what, int election, Supplier<T> effect, Consumer<T> seen) {
        history.writing(link.process());
        return link.send(new Ask<>(what, election, true, effect, seen));
    }

    @Override
    public CompletionStage<BackendSession> open(SessionRequest request, SessionEvents events) {
        long sentNanos = link.time().nanos();
        return change(
                "open",
                WorldTrace.NONE,
                () -> {
                    Held held = new Held(events);
                    SessionStoreState.Lease opened = server.open(held, link.process(), request.ttl());
                    held.lease = Optional.of(opened);
                    held.renewals = Optional.of(
                            new Renewals(opened.ttlNanos, server.rules().touchDelayNanosMax(), sentNanos));
                    held.era = server.era();
                    return held;
                },
                opened -> {});
    }

    @Override
    public CompletionStage<Observation> read(ElectionName name) {
        int election = server.electionOf(name);
        return look("read", election, () -> server.observe(election), seen -> {});
    }

    @Override
    public CompletionStage<List<Observation>> list() {
        return look("list", WorldTrace.NONE, server::observeAll, seen -> {});
    }

    @Override
    public Watch watch(Consumer<ElectionName> changed) {
        SessionServer.Notice notice = new SessionServer.Notice(link, changed);
        server.notices().add(notice);
        return () -> {
            notice.dead = true;
            server.notices().remove(notice);
        };
    }

    @Override
    public CompletionStage<Void> request(OperatorRequest request) {
        int election = server.electionOf(request.election());
        return change(
                        "request",
                        election,
                        () -> {
                            server.request(election, request);
                            return true;
                        },
                        done -> {})
                .thenAccept(done -> {});
    }

    @Override
    public CompletionStage<StoreEra> era() {
        return look("era", WorldTrace.NONE, server::era, seen -> {});
    }

    @Override
    public CompletionStage<StoreEra> raiseEra(int atLeast) {
        return change("raise era", WorldTrace.NONE, () -> server.raiseEra(atLeast), seen -> {});
    }

    @Override
    public void close() {}

    /** @param granted has its process seen that the store granted it? */
    record HeldClaim(int election, Nonce nonce, boolean granted) {
        HeldClaim won() {
            return new HeldClaim(election, nonce, true);
        }
    }

    /** A session as its process has it. */
    final class Held implements BackendSession {
        private final SessionEvents events;
        private Optional<SessionStoreState.Lease> lease = Optional.empty();
        private Optional<Renewals> renewals = Optional.empty();
        private StoreEra era = new StoreEra("", 0);
        private final Map<Integer, HeldClaim> claims = new TreeMap<>();
        private long calls;
        /** Its notifications go nowhere, and nobody has noticed. */
        boolean deaf;

        Held(SessionEvents events) {
            this.events = events;
        }

        SimulatedLink link() {
            return link;
        }

        SessionEvents events() {
            return events;
        }

        private SessionStoreState.Lease lease() {
            return lease.orElseThrow();
        }

        private Renewals renewals() {
            return renewals.orElseThrow();
        }

        @Override
        public String id() {
            return lease().id;
        }

        @Override
        public Duration ttl() {
            return Duration.ofNanos(lease().ttlNanos);
        }

        @Override
        public StoreEra era() {
            return era;
        }

        @Override
        public CompletionStage<RenewReply> renew() {
            long sentNanos = link.time().nanos();
            List<HeldClaim> held = List.copyOf(claims.values());
            return change("renew", WorldTrace.NONE, () -> server.renew(lease(), held), this::lossReceived)
                    .thenApply(reply -> reply instanceof RenewReply.Renewed renewed
                            ? new RenewReply.Renewed(
                                    Duration.ofNanos(renewals()
                                            .acknowledged(sentNanos, link.time().nanos())),
                                    renewed.lostClaims())
                            : reply);
        }

        private void lossReceived(RenewReply reply) {
            if (reply instanceof RenewReply.Renewed renewed) {
                renewed.lostClaims()
                        .forEach(lost -> history.renewalAcknowledged(
                                link.process(), server.electionOf(lost.election()), lost.nonce()));
            }
        }

        /** Only a renewal tells, where it tells of each claim. */
        @Override
        public boolean pushesClaimLoss() {
            return server.rules().livesPerClaim();
        }

        @Override
        public CompletionStage<ClaimReply> claim(ClaimRequest request) {
            int election = server.electionOf(request.election());
            long number = ++calls;
            // From now on every renewal keeps it: the claim may be applied long before its answer arrives.
            claims.put(election, new HeldClaim(election, request.nonce(), false));
            history.claiming(link.process(), election, id(), request.nonce());
            return change(
                    "claim",
                    election,
                    () -> server.claim(id(), election, request, number),
                    reply -> replyReceived(election, reply));
        }

        private void replyReceived(int election, ClaimReply reply) {
            if (reply instanceof ClaimReply.Granted granted) {
                claims.computeIfPresent(
                        election, (key, claim) -> claim.nonce().equals(granted.nonce()) ? claim.won() : claim);
                history.proved(
                        link.process(),
                        election,
                        granted.nonce(),
                        granted.token().value());
            } else {
                ((ClaimReply.Waiting) reply)
                        .holder()
                        .ifPresent(holder -> history.saw(
                                link.process(), election, holder.token().value()));
            }
        }

        @Override
        public void abandon() {
            deaf = true;
        }

        /**
         * The store hinted that this claim is at the front: only a read of its own entry proves it.
         *
         * @param then what it shows, if that is not what stands there now
         */
        void cameToFront(int election, Nonce nonce, Optional<ClaimReply.Granted> then) {
            ElectionName name = server.nameOf(election);
            try {
                look(
                                "front",
                                election,
                                () -> then.or(() -> server.readOwn(election, id(), nonce)),
                                found -> found.ifPresent(grant -> {
                                    replyReceived(election, grant);
                                    events.granted(name, grant);
                                }))
                        .exceptionally(lost -> Optional.empty());
            } catch (RuntimeException | Error lost) {
                // As a client library would: the poll of the engine is what helps then.
            }
        }

        @Override
        public CompletionStage<ReleaseReply> release(ElectionName name, Nonce nonce) {
            int election = server.electionOf(name);
            long number = ++calls;
            claims.remove(election);
            history.releasing(link.process(), election, id());
            return change("release", election, () -> server.release(id(), election, number), seen -> {});
        }

        @Override
        public CompletionStage<Boolean> holds(Term term) {
            int election = server.electionOf(term.election());
            return look(
                    "holds",
                    election,
                    () -> server.readOwn(election, id(), term.nonce())
                            .filter(own -> own.token().equals(term.token()))
                            .isPresent(),
                    holds -> {
                        if (!holds) {
                            history.learnedOfLoss(link.process(), election);
                        }
                    });
        }

        @Override
        public CompletionStage<Void> clear(OperatorRequest request) {
            int election = server.electionOf(request.election());
            return change(
                            "clear",
                            election,
                            () -> {
                                server.clear(election, request);
                                return true;
                            },
                            done -> {})
                    .thenAccept(done -> {});
        }

        @Override
        public CompletionStage<Void> close() {
            history.leaving(link.process(), id());
            return change(
                            "close",
                            WorldTrace.NONE,
                            () -> {
                                server.close(id(), link.process());
                                return true;
                            },
                            done -> {})
                    .thenAccept(done -> {});
        }
    }
}
