package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.Term;
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
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A connection, all locks that it has, and a second connection that waits. Loop-confined, except for {@link #heard} and {@link
 * #resumed}.
 */
final class AdvisorySession implements BackendSession, Hearing.Listener {
    static final String ENDED =
            "the server has ended its connection: silent for too long, terminated by an administrator,"
                    + " or the server itself went down";

    private final AdvisoryBackend.Store store;
    private final Member me;
    private final SessionEvents events;
    private final Seats seats;
    private final Holders holders;
    private final Watch ear;
    private StoreEra era;
    private boolean over;
    private boolean ended;

    AdvisorySession(AdvisoryBackend.Store store, Member me, StoreEra era, Line line, SessionEvents events) {
        this.store = store;
        this.me = me;
        this.era = era;
        this.events = events;
        this.seats = new Seats(store, me, events, line, this::lost);
        this.holders = new Holders(store, me, events, seats.roster()::working);
        this.ear = store.hearing().add(this);
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
        CompletableFuture<RenewReply> reply = CompletableFuture.completedFuture(new RenewReply.Renewed(me.ttl()));
        for (Line line : seats.roster().lines()) {
            int waiting = seats.vigil().pid();
            CompletableFuture<RenewReply> beat = store.onLoop(
                            line.runFirst(connection -> store.heartbeat().on(line, connection, me, waiting)))
                    .thenApply(pulse -> felt(line, pulse, waiting))
                    .exceptionally(failure -> unanswered(line, failure));
            reply = reply.thenCombine(beat, (one, other) -> one instanceof RenewReply.Gone ? one : other);
        }
        return reply;
    }

    /** A line that has ended does not come back, whoever ended it. */
    private RenewReply unanswered(Line line, Throwable failure) {
        if (!line.isEnded()) {
            throw failure instanceof CompletionException wrapped ? wrapped : new CompletionException(failure);
        }
        lost(ENDED);
        return new RenewReply.Gone(ENDED);
    }

    private RenewReply felt(Line line, Heartbeat.Pulse pulse, int waiting) {
        if (pulse instanceof Heartbeat.Pulse.Dead dead) {
            lost(dead.why());
            return new RenewReply.Gone(dead.why());
        }
        Heartbeat.Pulse.Alive alive = (Heartbeat.Pulse.Alive) pulse;
        if (!over) {
            era = new StoreEra(era.storeId(), alive.era());
            List<ElectionName> awaited = seats.felt(line, alive, waiting);
            holders.lookAt(awaited);
            alive.requests().forEach(events::requested);
        }
        return new RenewReply.Renewed(me.ttl());
    }

    @Override
    public CompletableFuture<ClaimReply> claim(ClaimRequest request) {
        return over ? CompletableFuture.failedFuture(Trouble.over()) : seats.claim(request);
    }

    @Override
    public CompletableFuture<ReleaseReply> release(ElectionName election, Nonce nonce) {
        return ended
                ? CompletableFuture.completedFuture(ReleaseReply.NOT_HELD) // it went with the connection
                : seats.release(election, nonce);
    }

    @Override
    public CompletableFuture<Boolean> holds(Term term) {
        return ended ? CompletableFuture.completedFuture(false) : seats.roster().holds(term);
    }

    @Override
    public CompletableFuture<Void> clear(OperatorRequest request) {
        return store.desk()
                .ask(connection -> {
                    try (PreparedStatement statement =
                            connection.prepareStatement(store.statements().clear())) {
                        statement.setString(1, request.election().encoded());
                        statement.setString(2, request.verb().name());
                        statement.setLong(3, request.token().value());
                        statement.setString(4, request.by());
                        return statement.executeUpdate();
                    }
                })
                .thenApply(cleared -> null);
    }

    @Override
    public void heard(Notice notice) {
        store.host().post(() -> {
            if (over) {
                return;
            }
            if (notice instanceof Notice.Requested requested) {
                if (seats.roster().has(requested.election())) {
                    lookForRequests();
                }
            } else {
                seats.heard(notice);
            }
        });
    }

    @Override
    public void resumed() {
        store.host().post(() -> {
            if (!over) {
                seats.resumed();
            }
        });
    }

    /** Should it fail, the next heartbeat finds them. */
    private void lookForRequests() {
        Line line = seats.roster().working();
        Aside.run(
                "looking for requests",
                store.onLoop(line.run(connection -> store.heartbeat().requests(connection, me)))
                        .thenAccept(found -> {
                            if (!over) {
                                found.forEach(events::requested);
                            }
                        }));
    }

    @Override
    public void abandon() {
        over = true;
        ear.close();
        seats.leave();
    }

    @Override
    public CompletableFuture<Void> close() {
        abandon();
        ended = true;
        Line line = seats.roster().working();
        List<Line> lines = seats.roster().lines();
        if (line.isEnded()) {
            endAll(lines);
            return CompletableFuture.completedFuture(null);
        }
        return line.run(this::vacateAll)
                .whenComplete((done, failure) -> {
                    endAll(lines);
                    store.closed(this);
                })
                .thenApply(done -> null);
    }

    private boolean vacateAll(Connection connection) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(store.statements().leave())) {
            statement.setString(1, me.session());
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        }
    }

    private static void endAll(List<Line> lines) {
        lines.forEach(line -> line.end("closed"));
    }

    /**
     * The process goes without having given up its claims: then nobody else may have them before their time. Its connections
     * stay until the server ends them.
     */
    void linger() {
        if (!ended) {
            List<Line> lines = seats.roster().lines();
            abandon();
            Host.Signal never = store.host().signal();
            store.host().perform("tenure-linger", () -> {
                try {
                    never.await(me.ttl().toNanos());
                } catch (InterruptedException end) {
                    Thread.currentThread().interrupt();
                }
                endAll(lines);
            });
        }
    }

    private void lost(String why) {
        if (!ended) {
            ended = true;
            boolean told = over;
            abandon();
            store.closed(this);
            if (!told) {
                events.lost(why);
            }
        }
    }
}
