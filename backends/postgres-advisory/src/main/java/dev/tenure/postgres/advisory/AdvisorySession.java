package dev.tenure.postgres.advisory;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.postgres.advisory.ElectionNotifications.Notification;
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
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/**
 * A connection, all locks that it has, and a second connection that waits. Loop-confined, except for {@link #received} and {@link
 * #resumed}.
 */
final class AdvisorySession implements BackendSession, ElectionNotifications.Listener {
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
     * Who claims: a session, with the TTL that the server was told.
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
    public boolean tellsOfLoss() {
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
                    return lost(ENDED); // it does not come back, whoever ended it
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
    public void received(Notification notification) {
        onLoop(() -> {
            if (notification instanceof Notification.Requested requested) {
                if (held.find(requested.election()).isPresent()) {
                    lookForRequests();
                }
            } else {
                claims.received(notification);
            }
        });
    }

    @Override
    public void resumed() {
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
            context.host().perform("tenure-linger", () -> {
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
}
