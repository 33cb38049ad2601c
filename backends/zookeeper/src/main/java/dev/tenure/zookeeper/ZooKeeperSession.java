package dev.tenure.zookeeper;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.Term;
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
import dev.tenure.spi.support.Stages;
import dev.tenure.zookeeper.wire.CreateMode;
import dev.tenure.zookeeper.wire.Event;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * One ZooKeeper session and the latches that it carries. Loop-confined.
 *
 * <p><b>Silence.</b> The client goes on with pings of its own when nobody renews any more. So a session that was not renewed for its TTL is closed
 * from here: by then its engine has stopped to believe in it, and others need not wait.
 */
final class ZooKeeperSession implements BackendSession, Connection.Listener {
    private final SessionScene scene;
    private final Requests requests;
    private final Stands stands = new Stands();
    private final Heartbeat heartbeat;
    private Host.Timer silence = () -> {};
    private boolean over;
    private boolean abandoned;

    private ZooKeeperSession(
            Settings settings,
            Host host,
            Connection connection,
            EraBook.Page era,
            long countedNanos,
            SessionEvents events) {
        Calls calls = connection.calls();
        EraView view = new EraView(new EraBook(calls, settings.layout(), host), era, this::eraEvent, this::lose);
        Batches batches = new Batches(host, () -> over);
        Traffic traffic = Traffic.of(calls, settings, connection.sessionId(), batches);
        this.scene = new SessionScene(
                settings,
                host,
                connection,
                Identity.of(connection, settings.lifetimes()),
                calls,
                traffic,
                view,
                new TermLedger(calls, host, traffic.looks()::areUnderWay),
                events,
                () -> over);
        this.requests = new Requests(calls, settings.layout());
        this.heartbeat = new Heartbeat(scene, stands, new SignsOfLife(countedNanos), this::lose);
    }

    /** Begins the work of a session whose connection stands. */
    static CompletableFuture<ZooKeeperSession> begin(
            Settings settings, Host host, Connection connection, SessionEvents events) {
        Calls calls = connection.calls();
        long sentNanos = host.nanos();
        return new EraBook(calls, settings.layout(), host).open().thenCompose(page -> {
            ZooKeeperSession session = new ZooKeeperSession(settings, host, connection, page, sentNanos, events);
            return session.prepare().thenApply(done -> session);
        });
    }

    private CompletableFuture<Boolean> prepare() {
        Nodes nodes = new Nodes(scene.calls());
        String elections = scene.settings().layout().elections();
        return nodes.ensure(elections, new byte[0], CreateMode.PERSISTENT)
                .thenCompose(made -> requests.watch(this::requestEvent))
                .thenCompose(watched -> scene.era().changed())
                .thenApply(era -> {
                    lookForRequests();
                    awaitSilence();
                    return true;
                });
    }

    @Override
    public String id() {
        return scene.id();
    }

    @Override
    public Duration ttl() {
        return scene.ttl();
    }

    @Override
    public StoreEra era() {
        return scene.era().known();
    }

    @Override
    public CompletableFuture<RenewReply> renew() {
        if (over) {
            return CompletableFuture.completedFuture(new RenewReply.Gone("this session is over"));
        }
        awaitSilence();
        return heartbeat.beat();
    }

    private void awaitSilence() {
        silence.cancel();
        silence = scene.host().wakeAt(scene.host().nanos() + ttl().toNanos(), this::fellSilent);
    }

    private void fellSilent() {
        boolean told = over;
        over = true;
        Stages.ignore("a call that nobody waits for", scene.connection().close());
        if (!told) {
            scene.events().lost("it was not renewed for its TTL");
        }
    }

    @Override
    public CompletableFuture<ClaimReply> claim(ClaimRequest request) {
        return standing(() -> stand(request.election()).claim(request));
    }

    @Override
    public CompletableFuture<ReleaseReply> release(ElectionName election, Nonce nonce) {
        if (!over) {
            return stand(election).release(nonce);
        }
        return abandoned
                ? CompletableFuture.failedFuture(sessionOver())
                : scene.connection().close().thenApply(closed -> ReleaseReply.NOT_HELD);
    }

    @Override
    public CompletableFuture<Boolean> holds(Term term) {
        return over
                ? CompletableFuture.completedFuture(false)
                : standing(() -> stand(term.election()).holds(term));
    }

    /** Every latch is watched, and a watch tells on the same connection before the answer to a renewal; see {@link Vigils}. */
    @Override
    public boolean tellsOfLoss() {
        return true;
    }

    private Stand stand(ElectionName election) {
        return stands.in(election, scene);
    }

    private <T> CompletableFuture<T> standing(Supplier<CompletableFuture<T>> call) {
        if (over) {
            return CompletableFuture.failedFuture(sessionOver());
        }
        return call.get();
    }

    private static BackendException sessionOver() {
        return new BackendException(Effect.NONE, Kind.UNREACHABLE, "this session is over");
    }

    @Override
    public CompletableFuture<Void> clear(OperatorRequest request) {
        return standing(() -> requests.clear(request).thenAccept(done -> {}));
    }

    /** Its pings go on until it is closed: by the engine, or by its own silence, whichever comes first. */
    @Override
    public void abandon() {
        over = true;
        abandoned = true;
    }

    @Override
    public CompletableFuture<Void> close() {
        over = true;
        silence.cancel();
        return scene.connection().close().thenAccept(closed -> {});
    }

    @Override
    public void reconnected() {
        if (!over) {
            lookForRequests(); // notifications of this kind are not made up for
            stands.watched()
                    .forEach(latch -> Stages.ignore(
                            "a call that nobody waits for",
                            scene.traffic().vigils().over(List.of(latch))));
        }
    }

    private void requested() {
        if (!over) {
            lookForRequests();
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
            scene.events().lost(why);
        }
    }

    private void lookForRequests() {
        requests.tellAll(request -> {
            if (!over) {
                scene.events().requested(request);
            }
        });
    }

    private void requestEvent(Event event) {
        scene.host().post(this::requested);
    }

    @Override
    public void happened(Event event) {
        if (!scene.traffic().exits().isLeaving(event.path())) {
            scene.host().post(() -> stands.onEvent(event, scene.settings().layout()));
        }
    }

    private void eraEvent(Event event) {
        scene.host().post(() -> {
            if (!over) {
                Stages.ignore("a call that nobody waits for", scene.era().changed());
            }
        });
    }
}
