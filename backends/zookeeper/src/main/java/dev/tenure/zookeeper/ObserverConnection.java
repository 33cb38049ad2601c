package dev.tenure.zookeeper;

import dev.tenure.ElectionName;
import dev.tenure.spi.Host;
import dev.tenure.spi.Watch;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.WatchRegistry;
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
    private static final ZooKeeperConnection.Terms TERMS = new ZooKeeperConnection.Terms(10_000, Duration.ofSeconds(3));

    private final Settings settings;
    private final Host host;
    private final ClientRegistry clients;
    private final Watcher watcher;
    private final WatchRegistry<Consumer<ElectionName>> subscriptions = new WatchRegistry<>();
    private Optional<CompletableFuture<ZooKeeperConnection>> current = Optional.empty();

    ObserverConnection(Settings settings, Host host, ClientRegistry clients) {
        this.settings = settings;
        this.host = host;
        this.clients = clients;
        this.watcher = ZooKeeperCalls.watcher(
                host, event -> settings.paths().electionAt(event.getPath()).ifPresent(this::changed));
    }

    CompletableFuture<ZooKeeperCalls> calls() {
        return current.orElseGet(this::connect).thenApply(ZooKeeperConnection::calls);
    }

    private CompletableFuture<ZooKeeperConnection> connect() {
        CompletableFuture<ZooKeeperConnection> connecting = ZooKeeperConnection.open(settings, host, clients, TERMS);
        current = Optional.of(connecting);
        Stages.follow(
                connecting,
                connection -> {
                    connection.listen(new CurrentListener(connecting));
                    if (isWatched()) {
                        watch(connection.calls());
                    }
                },
                failure -> forget(connecting));
        return connecting;
    }

    /** What happens to an older connection does not concern the newer. */
    private void forget(CompletableFuture<ZooKeeperConnection> past) {
        current = current.filter(now -> now != past);
    }

    private final class CurrentListener implements ZooKeeperConnection.Listener {
        private final CompletableFuture<ZooKeeperConnection> connected;

        CurrentListener(CompletableFuture<ZooKeeperConnection> connected) {
            this.connected = connected;
        }

        @Override
        public void reconnected() {
            if (isWatched()) {
                allChanged(connected.join().calls());
            }
        }

        @Override
        public void ended(String why) {
            forget(connected);
        }
    }

    Watch watch(Consumer<ElectionName> listener) {
        boolean first = current.isPresent() && !isWatched();
        Watch watch = subscriptions.add(listener);
        Stages.ignore("the watch of observers", first ? calls().thenAccept(this::watch) : calls());
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
        Stages.ignore(
                "the watch of observers",
                calls.children(settings.paths().elections())
                        .thenAccept(names -> names.forEach(
                                name -> settings.paths().electionNamed(name).ifPresent(this::changed))));
    }

    private void changed(ElectionName election) {
        subscriptions.tell(listener -> listener.accept(election));
    }
}
