package dev.tenure.zookeeper;

import dev.tenure.ElectionName;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Host;
import dev.tenure.spi.Watch;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.WatchRegistry;
import dev.tenure.zookeeper.client.Paths;
import dev.tenure.zookeeper.client.Settings;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import dev.tenure.zookeeper.client.ZooKeeperConnection;
import dev.tenure.zookeeper.client.ZooKeeperConnection.ClientRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.zookeeper.Watcher;

/**
 * The connection of observers: opened at the first use, and opened anew when its session has ended. It
 * carries no latch, so nothing depends on its session. Loop-confined.
 */
final class ObserverConnection {
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final Duration WITHIN = Duration.ofSeconds(3);

    private final Settings settings;
    private final Host host;
    private final ClientRegistry clients;
    private final Watcher watcher;
    private final WatchRegistry<Consumer<ElectionName>> subscriptions = new WatchRegistry<>();
    private Optional<CompletableFuture<ZooKeeperCalls>> current = Optional.empty();

    ObserverConnection(Settings settings, Host host, ClientRegistry clients) {
        this.settings = settings;
        this.host = host;
        this.clients = clients;
        this.watcher = ZooKeeperCalls.watcher(
                host, (path, type) -> settings.paths().electionAt(path).ifPresent(this::changed));
    }

    CompletableFuture<ZooKeeperCalls> calls() {
        if (clients.isClosed()) {
            return CompletableFuture.failedFuture(
                    new BackendException(Effect.NONE, Kind.UNREACHABLE, "this client of ZooKeeper is closed"));
        }
        return current.orElseGet(this::connect);
    }

    private CompletableFuture<ZooKeeperCalls> connect() {
        CurrentListener listener = new CurrentListener();
        ZooKeeperConnection.Terms terms = new ZooKeeperConnection.Terms(TIMEOUT_MILLIS, WITHIN);
        CompletableFuture<ZooKeeperCalls> connecting = ZooKeeperConnection.open(settings, host, clients, terms)
                .thenApply(connection -> {
                    connection.listen(listener);
                    return connection.calls();
                });
        listener.calls = Optional.of(connecting);
        current = listener.calls;
        Stages.ignore("the watch of observers", connecting.whenComplete((calls, failure) -> {
            if (failure != null) {
                listener.ended("it never began");
            } else if (isWatched()) {
                watch(calls);
            }
        }));
        return connecting;
    }

    /** Listens to one connection; events of an older one do not concern the newer. */
    private final class CurrentListener implements ZooKeeperConnection.Listener {
        private Optional<CompletableFuture<ZooKeeperCalls>> calls = Optional.empty();

        @Override
        public void reconnected() {
            if (isWatched()) {
                Stages.ignore(
                        "the watch of observers", calls.orElseThrow().thenAccept(ObserverConnection.this::allChanged));
            }
        }

        @Override
        public void ended(String why) {
            if (current.equals(calls)) {
                current = Optional.empty();
            }
        }
    }

    Watch watch(Consumer<ElectionName> listener) {
        boolean first = !isWatched();
        Watch watch = subscriptions.add(listener);
        Optional<CompletableFuture<ZooKeeperCalls>> connected = current;
        if (connected.isEmpty()) {
            Stages.ignore("the watch of observers", calls());
        } else if (first) {
            Stages.ignore("the watch of observers", connected.get().thenAccept(this::watch));
        }
        return watch;
    }

    private boolean isWatched() {
        return subscriptions.anyMatch(any -> true);
    }

    private void watch(ZooKeeperCalls calls) {
        Stages.ignore(
                "the watch of observers",
                calls.watchRecursively(settings.paths().elections(), watcher));
    }

    /** A recursive watch misses what happens between two connections. */
    private void allChanged(ZooKeeperCalls calls) {
        String elections = settings.paths().elections();
        Stages.ignore(
                "the watch of observers",
                calls.children(elections)
                        .thenAccept(names -> names.forEach(name -> settings.paths()
                                .electionAt(Paths.child(elections, name))
                                .ifPresent(this::changed))));
    }

    private void changed(ElectionName election) {
        subscriptions.tell(listener -> listener.accept(election));
    }
}
