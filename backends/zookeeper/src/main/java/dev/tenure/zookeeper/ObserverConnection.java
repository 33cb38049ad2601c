// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import dev.tenure.ElectionName;
import dev.tenure.Leader;
import dev.tenure.spi.Host;
import dev.tenure.spi.Observation;
import dev.tenure.spi.Watch;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.WatchRegistry;
import dev.tenure.zookeeper.claim.ElectionSnapshot;
import dev.tenure.zookeeper.client.Paths;
import dev.tenure.zookeeper.client.Settings;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import dev.tenure.zookeeper.client.ZooKeeperConnection;
import dev.tenure.zookeeper.client.ZooKeeperConnection.ClientRegistry;
import dev.tenure.zookeeper.client.ZooKeeperError;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
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
                    connection.listen(listener(connecting));
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

    private ZooKeeperConnection.Listener listener(CompletableFuture<ZooKeeperConnection> connected) {
        return new ZooKeeperConnection.Listener() {
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
        };
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
        subscriptions.publish(listener -> listener.accept(election));
    }

    /** Reads elections on such a connection. */
    static final class ElectionReader {
        private static final int ROUNDS_MAX = 5;

        private final ZooKeeperCalls calls;
        private final Settings settings;
        private final int era;

        ElectionReader(ZooKeeperCalls calls, Settings settings, int era) {
            this.calls = calls;
            this.settings = settings;
            this.era = era;
        }

        CompletableFuture<Observation> one(ElectionName election) {
            return calls.sync(settings.paths().elections()).thenCompose(synced -> read(election, ROUNDS_MAX));
        }

        CompletableFuture<List<Observation>> all() {
            String elections = settings.paths().elections();
            CompletableFuture<List<String>> names =
                    calls.sync(elections).thenCompose(synced -> calls.children(elections));
            return ZooKeeperError.orElse(names, Code.NONODE, List.of()).thenCompose(this::readEach);
        }

        /** All are asked for at once; the answers come in order. */
        private CompletableFuture<List<Observation>> readEach(List<String> names) {
            return ZooKeeperCalls.all(names.stream()
                            .map(settings.paths()::electionNamed)
                            .flatMap(Optional::stream)
                            .map(election -> read(election, ROUNDS_MAX)))
                    .thenApply(all -> all.stream()
                            .filter(seen -> seen.leader().isPresent() || seen.tokenMax() > 0)
                            .toList());
        }

        private CompletableFuture<Observation> read(ElectionName election, int rounds) {
            String path = settings.paths().election(election);
            return calls.read(ElectionSnapshot.reads(path))
                    .thenApply(results -> ElectionSnapshot.of(results, path, settings))
                    .thenCompose(snapshot -> show(election, snapshot, rounds));
        }

        /** If the leader has gone meanwhile, reads again, but not for ever: in a lock with short terms it may have gone each time. */
        private CompletableFuture<Observation> show(ElectionName election, ElectionSnapshot snapshot, int rounds) {
            Optional<String> first = snapshot.order().first();
            if (first.isEmpty()) {
                return CompletableFuture.completedFuture(
                        new Observation(election, Optional.empty(), snapshot.tokenMax()));
            }
            String path = Paths.child(settings.paths().election(election), first.get());
            CompletableFuture<Observation> shown = calls.get(path).thenApply(node -> {
                Leader leader = snapshot.leader(election, first.get(), node, era, settings);
                long tokenMax = Math.max(snapshot.tokenMax(), leader.token().value());
                return new Observation(election, Optional.of(leader), tokenMax);
            });
            return ZooKeeperError.recover(shown, Code.NONODE, () -> rounds > 1 ? read(election, rounds - 1) : shown);
        }
    }
}
