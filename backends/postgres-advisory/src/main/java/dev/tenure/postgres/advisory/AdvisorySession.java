// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.jdbc.NotificationListener;
import dev.tenure.postgres.advisory.ElectionSql.Pulse;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Host;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.RenewReply.LostClaim;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Watch;
import dev.tenure.spi.support.Stages;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/**
 * A connection, all locks that it has, and a second connection that waits. Loop-confined, except for {@link #received} and {@link
 * #resumed}.
 */
final class AdvisorySession implements BackendSession, NotificationListener.Receiver {
    static final String ENDED =
            "the server has ended its connection: silent for too long, terminated by an administrator,"
                    + " or the server itself went down";

    private final AdvisoryBackend.Context context;
    private final Info me;
    private final SessionEvents events;
    private final Consumer<AdvisorySession> whenClosed;
    private final SessionClaims claims;
    private final HeldElections held;
    private final Watch notifications;
    private StoreEra era;
    private boolean over;
    private boolean ended;

    /**
     * The claimant: a session, with the TTL that the server was given.
     *
     * @param opened the store in which it was opened: another one, or none, means that this one was wiped
     * @param locksMax more would take from others, and from its own heartbeat, what a server has for all of them
     */
    record Info(String session, StoreEra opened, Duration ttl, ElectionTables.LockKeys keys, int locksMax) {}

    AdvisorySession(
            AdvisoryBackend.Context context,
            Info me,
            LockConnection connection,
            SessionEvents events,
            Consumer<AdvisorySession> whenClosed) {
        this.context = context;
        this.me = me;
        this.era = me.opened();
        this.events = events;
        this.whenClosed = whenClosed;
        this.claims = new SessionClaims(context, me, events, connection, this::lost);
        this.held = claims.held();
        this.notifications = context.notifications().add(this);
        context.notifications().start();
    }

    @Override
    public String id() {
        return me.session();
    }

    @Override
    public Duration ttl() {
        return me.ttl();
    }

    @Override
    public StoreEra era() {
        return era;
    }

    /** A heartbeat finds every lock and every row, and tells of those that are missing. */
    @Override
    public boolean pushesClaimLoss() {
        return true;
    }

    @Override
    public CompletableFuture<RenewReply> renew() {
        if (ended) {
            return CompletableFuture.completedFuture(new RenewReply.Gone(ENDED));
        }
        int waiting = claims.waitingPid();
        LockConnection on = held.working();
        return on.run(connection -> context.elections().heartbeat(on, connection, me, waiting))
                .handle((pulse, failure) -> {
                    if (failure == null) {
                        return felt(pulse, waiting);
                    }
                    if (!on.isEnded()) {
                        throw new CompletionException(Stages.rootOf(failure));
                    }
                    return lost(ENDED); // it does not come back, no matter which side ended it
                });
    }

    private RenewReply felt(Pulse pulse, int waiting) {
        if (pulse instanceof Pulse.Dead dead) {
            return lost(dead.why());
        }
        Pulse.Alive alive = (Pulse.Alive) pulse;
        if (over) {
            return new RenewReply.Renewed(me.ttl());
        }
        era = new StoreEra(era.storeId(), alive.era());
        List<LostClaim> lostClaims = claims.felt(alive, waiting);
        alive.requests().forEach(events::requested);
        return new RenewReply.Renewed(me.ttl(), lostClaims);
    }

    @Override
    public CompletableFuture<ClaimReply> claim(ClaimRequest request) {
        return over ? CompletableFuture.failedFuture(AdvisoryErrors.over()) : claims.claim(request);
    }

    @Override
    public CompletableFuture<ReleaseReply> release(ElectionName election, Nonce nonce) {
        return ended
                ? CompletableFuture.completedFuture(ReleaseReply.NOT_HELD) // it went with the connection
                : claims.release(election, nonce);
    }

    @Override
    public CompletableFuture<Boolean> holds(Term term) {
        return ended ? CompletableFuture.completedFuture(false) : held.holds(term);
    }

    @Override
    public CompletableFuture<Void> clear(OperatorRequest request) {
        return held.working()
                .run(connection -> context.elections().clear(connection, request))
                .thenApply(cleared -> null);
    }

    @Override
    public void received(String text) {
        Notification.of(text)
                .ifPresent(notification -> onLoop(() -> {
                    if (notification instanceof Notification.Requested requested) {
                        if (held.find(requested.election()).isPresent()) {
                            lookForRequests();
                        }
                    } else {
                        claims.received(notification);
                    }
                }));
    }

    @Override
    public void resumed(Connection connection) {
        onLoop(claims::resumed);
    }

    private void onLoop(Runnable event) {
        context.host().post(() -> {
            if (!over) {
                event.run();
            }
        });
    }

    /** Should it fail, the next heartbeat finds them. */
    private void lookForRequests() {
        Stages.ignore(
                "looking for requests",
                held.working()
                        .run(connection -> context.elections().requests(connection, me.session()))
                        .thenAccept(found -> {
                            if (!over) {
                                found.forEach(events::requested);
                            }
                        }));
    }

    @Override
    public void abandon() {
        over = true;
        notifications.close();
        claims.leave();
    }

    @Override
    public CompletableFuture<Void> close() {
        abandon();
        ended = true;
        LockConnection on = held.working();
        if (on.isEnded()) {
            return CompletableFuture.completedFuture(null);
        }
        return on.run(connection -> {
                    try {
                        return context.claims().leave(connection, me.session());
                    } finally {
                        on.end("closed");
                    }
                })
                .whenComplete((done, failure) -> whenClosed.accept(this))
                .thenApply(done -> null);
    }

    /**
     * The process goes without having given up its claims: then nobody else may have them before their time. Its connections
     * stay until the server ends them.
     */
    void linger() {
        if (!ended) {
            LockConnection on = held.working();
            abandon();
            Host.Signal never = context.host().signal();
            context.host().runDuty("tenure-linger", () -> {
                try {
                    never.await(me.ttl().toNanos());
                } catch (InterruptedException end) {
                    Thread.currentThread().interrupt();
                }
                on.end("closed");
            });
        }
    }

    private RenewReply lost(String why) {
        if (!ended) {
            ended = true;
            boolean told = over;
            abandon();
            whenClosed.accept(this);
            if (!told) {
                events.lost(why);
            }
        }
        return new RenewReply.Gone(why);
    }

    /**
     * The elections that a session holds, all of them on one connection: the one that works. Loop-confined.
     *
     * <p>A lock whose row somebody has deleted or changed by hand is orphaned. Its term is over, but as long as the lock is held
     * nobody else can begin one. So the candidate that led by it is notified first, and its lock is freed by the release that
     * follows when its duty has ended. If it does not release, a heartbeat frees the lock half a TTL after the notification:
     * rather two that work, of which one knows that it must not write any more, than an election that nobody can win.
     */
    static final class HeldElections {
        /** Sessions that are notified of a change must not get into the way of the one that has won. */
        private static final long ANNOUNCE_NANOS = 2_000_000;

        private final AdvisoryBackend.Context context;
        private final Info me;
        private final Consumer<String> lost;
        private final Map<ElectionName, Held> held = new HashMap<>();
        private LockConnection working;

        /** @param orphanedNanos since when its row is known to be gone, although the connection has the lock */
        record Held(ClaimReply.Granted grant, OptionalLong orphanedNanos) {
            boolean isOrphaned() {
                return orphanedNanos.isPresent();
            }
        }

        HeldElections(AdvisoryBackend.Context context, Info me, LockConnection working, Consumer<String> lost) {
            this.context = context;
            this.me = me;
            this.working = working;
            this.lost = lost;
            watch(working);
        }

        /** The end of the connection that works is the end of the session. */
        private void watch(LockConnection connection) {
            connection.whenEnded(why -> context.host().post(() -> {
                if (connection == working) {
                    lost.accept(why);
                }
            }));
        }

        /** For statements; asked at each use, because it changes. */
        LockConnection working() {
            return working;
        }

        /** Another connection has won while nothing was held: it works from now on. Returns the one that did. */
        LockConnection changeTo(LockConnection winner) {
            LockConnection idle = working;
            working = winner;
            watch(winner);
            return idle;
        }

        Optional<Held> find(ElectionName election) {
            return Optional.ofNullable(held.get(election));
        }

        Optional<Held> find(ElectionName election, Nonce nonce) {
            return find(election).filter(one -> one.grant.nonce().equals(nonce) && !one.isOrphaned());
        }

        boolean isEmpty() {
            return held.isEmpty();
        }

        void won(ClaimSql.Outcome.Won won) {
            held.put(won.request().election(), new Held(won.grant(), OptionalLong.empty()));
        }

        void remove(ElectionName election) {
            held.remove(election);
        }

        CompletableFuture<Boolean> holds(Term term) {
            return find(term.election(), term.nonce())
                    .filter(mine -> mine.grant.token().equals(term.token()))
                    .map(mine -> working.run(connection -> context.elections().holds(connection, me, term)))
                    .orElseGet(() -> CompletableFuture.completedFuture(false));
        }

        /** In a statement of its own, a moment later. A hint that is lost is made up for by the poll. */
        void announce(String what, List<String> elections) {
            Host host = context.host();
            LockConnection.Work<Boolean> work = connection -> context.claims().announce(connection, what, elections);
            if (!elections.isEmpty()) {
                host.wakeAt(host.nanos() + ANNOUNCE_NANOS, () -> Stages.ignore("announcing", working.run(work)));
            }
        }

        /** Its term is over, but not its lock: that is kept until it is claimed again, released or let go. */
        void orphan(ElectionName election) {
            OptionalLong now = OptionalLong.of(context.host().nanos());
            held.computeIfPresent(election, (name, one) -> new Held(one.grant, now));
        }

        /** What a heartbeat did not find; it is found missing again until its lock is free. */
        List<LostClaim> missing(Map<ElectionName, LockConnection.Holding> missing) {
            List<LostClaim> lostClaims = new ArrayList<>();
            Map<String, LockConnection.Holding> overdue = new HashMap<>();
            missing.forEach((election, holding) -> {
                lostClaims.add(new LostClaim(election, holding.nonce()));
                Optional<Held> known = find(election);
                if (known.filter(one -> !isOverdue(one)).isEmpty()) {
                    held.remove(election); // also if it cannot be freed now: the next heartbeat finds it again
                    overdue.put(election.encoded(), holding);
                } else if (!known.get().isOrphaned()) {
                    orphan(election);
                }
            });
            if (!overdue.isEmpty()) {
                LockConnection on = working;
                Stages.ignore(
                        "letting go of a lock",
                        on.run(connection -> ClaimSql.letGo(on, connection, overdue))
                                .thenAccept(names -> announce("r ", names)));
            }
            return lostClaims;
        }

        private boolean isOverdue(Held one) {
            return one.isOrphaned()
                    && context.host().nanos() - one.orphanedNanos.getAsLong()
                            >= me.ttl().toNanos() / 2;
        }
    }
}
