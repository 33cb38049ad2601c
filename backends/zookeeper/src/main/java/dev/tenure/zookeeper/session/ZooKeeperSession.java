// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.session;

import dev.tenure.ElectionName;
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
import dev.tenure.spi.support.Stages;
import dev.tenure.zookeeper.claim.LatchCandidacies;
import dev.tenure.zookeeper.claim.SessionContext;
import dev.tenure.zookeeper.client.Settings;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import dev.tenure.zookeeper.client.ZooKeeperConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * One ZooKeeper session and the latches that it carries. Loop-confined.
 *
 * <p>ZooKeeper's client goes on with pings of its own when the engine has stopped to renew. So a session that was not renewed for its TTL is
 * closed here: by then its engine does not believe in it any more, and others need not wait.
 */
public final class ZooKeeperSession implements BackendSession, ZooKeeperConnection.Listener {
    private final SessionContext context;
    private final ZooKeeperConnection connection;
    private final StoreEra era;
    private final StoreRecords records;
    private final LatchCandidacies candidacies;
    private final SessionRenewal renewal;
    private Host.Timer silence = () -> {};
    private boolean over;
    private boolean abandoned;

    private ZooKeeperSession(
            Settings settings, Host host, ZooKeeperConnection connection, StoreEra era, SessionEvents events) {
        SessionTimeouts timeouts = new SessionTimeouts(settings.tick());
        this.connection = connection;
        this.era = era;
        this.context = new SessionContext(
                new SessionContext.Granted(
                        connection.sessionId(), timeouts.usable(connection.timeoutMillis()), () -> over),
                settings,
                host,
                connection.calls(),
                events,
                this::eraSeen);
        this.records = new StoreRecords(context.calls(), settings.paths(), host);
        this.candidacies = new LatchCandidacies(context);
        this.renewal = new SessionRenewal(context, connection, candidacies);
    }

    /** Begins the work of a session whose connection is open. */
    public static CompletableFuture<ZooKeeperSession> begin(
            Settings settings, Host host, ZooKeeperConnection connection, SessionEvents events) {
        return new StoreRecords(connection.calls(), settings.paths(), host)
                .era()
                .thenCompose(known -> {
                    ZooKeeperSession session = new ZooKeeperSession(settings, host, connection, known, events);
                    return session.prepare().thenApply(done -> session);
                });
    }

    private CompletableFuture<Boolean> prepare() {
        String elections = context.settings().paths().elections();
        return context.calls()
                .ensure(elections, "")
                .thenCompose(
                        made -> records.watchRequests(ZooKeeperCalls.watcher(context.host(), event -> readRequests())))
                .thenApply(watched -> {
                    readRequests();
                    awaitSilence();
                    return true;
                });
    }

    @Override
    public String id() {
        return context.id();
    }

    @Override
    public Duration ttl() {
        return context.granted().ttl();
    }

    @Override
    public StoreEra era() {
        return era;
    }

    @Override
    public CompletableFuture<RenewReply> renew() {
        if (over) {
            return CompletableFuture.completedFuture(new RenewReply.Gone("this session is over"));
        }
        awaitSilence();
        return renewal.renew(this::lose);
    }

    private void awaitSilence() {
        silence.cancel();
        silence = context.host().wakeAt(context.host().nanos() + ttl().toNanos(), this::notRenewed);
    }

    private void notRenewed() {
        boolean reported = over;
        over = true;
        Stages.ignore("the end of a session", connection.close());
        if (!reported) {
            context.events().lost("it was not renewed for its TTL");
        }
    }

    @Override
    public CompletableFuture<ClaimReply> claim(ClaimRequest request) {
        return unlessOver(() -> candidacies.in(request.election()).claim(request));
    }

    @Override
    public CompletableFuture<ReleaseReply> release(ElectionName election, Nonce nonce) {
        return over && !abandoned
                ? connection.close().thenApply(closed -> ReleaseReply.NOT_HELD)
                : unlessOver(() -> candidacies.in(election).release(nonce));
    }

    @Override
    public CompletableFuture<Boolean> holds(Term term) {
        return over
                ? CompletableFuture.completedFuture(false)
                : unlessOver(() -> candidacies.in(term.election()).holds(term));
    }

    /** Every latch is watched, and a deletion is reported on the same connection before the answer to a renewal; see {@link LatchCandidacies#watchesSet}. */
    @Override
    public boolean pushesClaimLoss() {
        return true;
    }

    private <T> CompletableFuture<T> unlessOver(Supplier<CompletableFuture<T>> call) {
        return over ? CompletableFuture.failedFuture(BackendException.unreachable("this session is over")) : call.get();
    }

    @Override
    public CompletableFuture<Void> clear(OperatorRequest request) {
        return unlessOver(() -> records.clear(request).thenAccept(done -> {}));
    }

    /** The client's pings go on until the session is closed: by the engine, or by {@link #notRenewed}, which comes first. */
    @Override
    public void abandon() {
        over = true;
        abandoned = true;
    }

    @Override
    public CompletableFuture<Void> close() {
        over = true;
        silence.cancel();
        return connection.close().thenAccept(closed -> {});
    }

    @Override
    public void reconnected() {
        if (!over) {
            readRequests(); // the watch on them may have missed some
            candidacies.reconnected();
        }
    }

    @Override
    public void ended(String why) {
        silence.cancel();
        lose(why);
    }

    private void lose(String why) {
        if (!over) {
            over = true;
            context.events().lost(why);
        }
    }

    private void readRequests() {
        if (over) {
            return;
        }
        records.readRequests(request -> {
            if (!over) {
                context.events().requested(request);
            }
        });
    }

    private void eraSeen(Optional<StoreEra> now) {
        if (now.isEmpty()) {
            lose(SessionRenewal.REMOVED);
        } else if (!now.get().storeId().equals(era.storeId())) {
            lose("the store was replaced by another one");
        }
    }
}
