package dev.tenure.zookeeper;

import dev.tenure.ElectionName;
import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.Host;
import dev.tenure.spi.Observation;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.SessionRequest;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Watch;
import dev.tenure.spi.support.Stages;
import dev.tenure.zookeeper.wire.Event;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/** Elections in ZooKeeper. Call it on the loop; {@link #close()} from anywhere. */
final class ZooKeeperBackend implements Backend {
    private static final Logger LOG = System.getLogger("dev.tenure");
    private static final Duration OPEN_WITHIN_MIN = Duration.ofMillis(1800);
    private static final double OPEN_WITHIN_TTLS = 0.45;

    private final Settings settings;
    private final Host host;
    private final Wires wires = new Wires();
    private final Lookout lookout;
    private volatile BackendTraits traits;
    private boolean membersAsked;

    ZooKeeperBackend(Settings settings, Host host) {
        this.settings = settings;
        this.host = host;
        this.lookout = new Lookout(settings, host, wires);
        this.traits = BackendTraits.of(settings.shown())
                .grade(Grade.A, "")
                .scope(Scope.CLUSTER)
                .ttl(Lifetimes.TTL_MIN, Lifetimes.TTL_MAX)
                .expiry(BackendTraits.ExpiryJudge.SERVER_TTL)
                .tokens(BackendTraits.TokenSource.REVISION)
                .wakeup(BackendTraits.Wakeup.QUEUE)
                .build();
    }

    @Override
    public BackendTraits traits() {
        return traits;
    }

    @Override
    public CompletionStage<BackendSession> open(SessionRequest request, SessionEvents events) {
        if (wires.isClosed()) {
            return CompletableFuture.failedFuture(
                    new BackendException(Effect.NONE, Kind.UNREACHABLE, "this client of ZooKeeper is closed"));
        }
        Beginning beginning = new Beginning();
        Connection.Terms terms =
                new Connection.Terms(settings.lifetimes().timeoutMillis(request.ttl()), within(request.ttl()));
        return Connection.open(settings, host, wires, terms, beginning)
                .thenCompose(connection -> learnMembers(connection.calls())
                        .thenCombine(
                                ZooKeeperSession.begin(settings, host, connection, events), (known, session) -> session)
                        .thenCompose(beginning::became)
                        .exceptionallyCompose(failure -> {
                            Stages.ignore("a call that nobody waits for", connection.close());
                            return CompletableFuture.failedFuture(failure);
                        }));
    }

    /** Travels with what is asked next. A server that does not tell is used all the same. */
    private CompletableFuture<Boolean> learnMembers(Calls calls) {
        return calls.get(Members.PATH).handle((config, refused) -> {
            membersAsked = true;
            int count = refused == null
                    ? Members.count(config.text(), settings.servers().size())
                    : 0;
            if (count > 0 && count != traits.members()) {
                traits = traits.change().members(count).build();
                if (!traits.survival().isEmpty()) {
                    LOG.log(Level.INFO, "{0}: {1}", traits.store(), traits.survival());
                }
            }
            return true;
        });
    }

    /** A process that only looks shows the traits too. */
    private <T> CompletionStage<T> looking(Function<Calls, CompletableFuture<T>> look) {
        return lookout.calls()
                .thenCompose(calls -> membersAsked
                        ? look.apply(calls)
                        : learnMembers(calls).thenCombine(look.apply(calls), (known, seen) -> seen));
    }

    /** A little less than the engine waits, so that it is this backend that says what is wrong. */
    private static Duration within(Duration ttl) {
        Duration share = Duration.ofMillis((long) (ttl.toMillis() * OPEN_WITHIN_TTLS));
        return share.compareTo(OPEN_WITHIN_MIN) > 0 ? share : OPEN_WITHIN_MIN;
    }

    /** What a connection tells before there is a session to be told. */
    private static final class Beginning implements Connection.Listener {
        private volatile Optional<ZooKeeperSession> session = Optional.empty();
        private Optional<String> end = Optional.empty();

        CompletableFuture<BackendSession> became(ZooKeeperSession begun) {
            session = Optional.of(begun);
            return end.isEmpty()
                    ? CompletableFuture.completedFuture(begun)
                    : CompletableFuture.failedFuture(new BackendException(Effect.NONE, Kind.UNREACHABLE, end.get()));
        }

        @Override
        public void reconnected() {
            session.ifPresent(ZooKeeperSession::reconnected);
        }

        @Override
        public void ended(String why) {
            end = Optional.of(why);
            session.ifPresent(begun -> begun.ended(why));
        }

        @Override
        public void happened(Event event) {
            session.ifPresent(begun -> begun.happened(event));
        }
    }

    @Override
    public CompletionStage<Observation> read(ElectionName election) {
        return looking(calls -> Sights.one(calls, settings, era(calls), election));
    }

    @Override
    public CompletionStage<List<Observation>> list() {
        return looking(calls -> Sights.all(calls, settings, era(calls)));
    }

    @Override
    public Watch watch(Consumer<ElectionName> changed) {
        return lookout.watch(changed);
    }

    @Override
    public CompletionStage<Void> request(OperatorRequest request) {
        return lookout.calls()
                .thenCompose(calls ->
                        new Requests(calls, settings.layout()).leave(request).thenAccept(done -> {}));
    }

    @Override
    public CompletionStage<StoreEra> era() {
        return lookout.calls().thenCompose(this::era);
    }

    private CompletableFuture<StoreEra> era(Calls calls) {
        return new EraBook(calls, settings.layout(), host).open().thenApply(EraBook.Page::era);
    }

    @Override
    public CompletionStage<StoreEra> raiseEra(int atLeast) {
        return lookout.calls().thenCompose(calls -> new EraBook(calls, settings.layout(), host).raise(atLeast));
    }

    @Override
    public void close() {
        wires.close();
    }
}
