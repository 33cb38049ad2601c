// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import dev.tenure.ElectionName;
import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.spi.Backend;
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
import dev.tenure.zookeeper.ObserverConnection.ElectionReader;
import dev.tenure.zookeeper.client.Settings;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import dev.tenure.zookeeper.client.ZooKeeperConnection;
import dev.tenure.zookeeper.client.ZooKeeperConnection.ClientRegistry;
import dev.tenure.zookeeper.session.SessionTimeouts;
import dev.tenure.zookeeper.session.StoreRecords;
import dev.tenure.zookeeper.session.ZooKeeperSession;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Elections in ZooKeeper. Call it on the loop; {@link #close()} from anywhere. */
final class ZooKeeperBackend implements Backend {
    private static final Logger LOG = System.getLogger("dev.tenure");
    private static final Pattern VOTER = Pattern.compile("server\\.[0-9]+=(?!.*:observer(;|$)).*");
    private static final Duration OPEN_WITHIN_MIN = Duration.ofMillis(1800);
    private static final double OPEN_WITHIN_TTLS = 0.45;

    private final Settings settings;
    private final Host host;
    private final ClientRegistry clients = new ClientRegistry();
    private final ObserverConnection observers;
    private volatile BackendTraits traits;
    private boolean membersRead;

    ZooKeeperBackend(Settings settings, Host host) {
        this.settings = settings;
        this.host = host;
        this.observers = new ObserverConnection(settings, host, clients);
        this.traits = BackendTraits.of(settings.shown())
                .grade(Grade.A, "")
                .scope(Scope.CLUSTER)
                .ttl(SessionTimeouts.TTL_MIN, SessionTimeouts.TTL_MAX)
                .expiry(BackendTraits.ExpiryDetection.SERVER_TTL)
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
        ZooKeeperConnection.Terms terms = new ZooKeeperConnection.Terms(
                new SessionTimeouts(settings.tick()).timeoutMillis(request.ttl()), within(request.ttl()));
        return ZooKeeperConnection.open(settings, host, clients, terms)
                .thenCompose(connection -> readMembers(connection.calls())
                        .thenCombine(
                                ZooKeeperSession.begin(settings, host, connection, events), (known, session) -> session)
                        .thenApply(session -> {
                            connection.listen(session);
                            return (BackendSession) session;
                        })
                        .exceptionallyCompose(failure -> {
                            Stages.ignore("the end of a session that did not begin", connection.close());
                            return CompletableFuture.failedFuture(failure);
                        }));
    }

    /** Costs no round trip of its own. A server that does not answer this is used all the same. */
    private CompletableFuture<Boolean> readMembers(ZooKeeperCalls calls) {
        return calls.ensemble().handle((config, refused) -> {
            membersRead = true;
            int count = refused == null
                    ? voters(config.text(), settings.servers().addresses().size())
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

    /**
     * How many servers vote, by the configuration that ZooKeeper itself keeps and everybody may read. 0 if it is not known: there
     * are weights or groups. A server without an ensemble keeps an empty text; one that was upgraded from an old version may, too, so
     * it is believed only if the URL names no other server.
     */
    static int voters(String config, int servers) {
        if (config.isBlank()) {
            return servers == 1 ? 1 : 0;
        }
        boolean weighted = config.lines().anyMatch(line -> line.matches("(weight|group)\\..*"));
        return weighted
                ? 0
                : (int) config.lines().filter(VOTER.asMatchPredicate()).count();
    }

    /** A process that only observes shows the traits too. */
    private <T> CompletionStage<T> observing(Function<ElectionReader, CompletableFuture<T>> read) {
        return observers
                .calls()
                .thenCompose(calls -> (membersRead ? CompletableFuture.completedFuture(true) : readMembers(calls))
                        .thenCombine(
                                records(calls).era(), (known, era) -> new ElectionReader(calls, settings, era.era())))
                .thenCompose(read);
    }

    /** A little less than the engine waits, so that this backend says what is wrong. */
    private static Duration within(Duration ttl) {
        Duration share = Duration.ofMillis((long) (ttl.toMillis() * OPEN_WITHIN_TTLS));
        return share.compareTo(OPEN_WITHIN_MIN) > 0 ? share : OPEN_WITHIN_MIN;
    }

    @Override
    public CompletionStage<Observation> read(ElectionName election) {
        return observing(reader -> reader.one(election));
    }

    @Override
    public CompletionStage<List<Observation>> list() {
        return observing(ElectionReader::all);
    }

    @Override
    public Watch watch(Consumer<ElectionName> changed) {
        return observers.watch(changed);
    }

    @Override
    public CompletionStage<Void> request(OperatorRequest request) {
        return observers
                .calls()
                .thenCompose(calls -> records(calls).write(request))
                .thenAccept(done -> {});
    }

    @Override
    public CompletionStage<StoreEra> era() {
        return observers.calls().thenCompose(calls -> records(calls).era());
    }

    private StoreRecords records(ZooKeeperCalls calls) {
        return new StoreRecords(calls, settings.paths(), host);
    }

    @Override
    public CompletionStage<StoreEra> raiseEra(int atLeast) {
        return observers.calls().thenCompose(calls -> records(calls).raiseEra(atLeast));
    }

    @Override
    public void close() {
        clients.close();
    }
}
