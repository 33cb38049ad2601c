package dev.tenure.zookeeper;

import dev.tenure.ElectionName;
import dev.tenure.Leader;
import dev.tenure.spi.Observation;
import dev.tenure.zookeeper.claim.ElectionSnapshot;
import dev.tenure.zookeeper.client.Paths;
import dev.tenure.zookeeper.client.Settings;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import dev.tenure.zookeeper.client.ZooKeeperError;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;

/** Reads elections for observers. Loop-confined. */
final class ElectionReader {
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
        CompletableFuture<List<String>> names = calls.sync(elections).thenCompose(synced -> calls.children(elections));
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

    private CompletableFuture<Observation> show(ElectionName election, ElectionSnapshot snapshot, int rounds) {
        Optional<String> first = snapshot.order().first();
        if (first.isEmpty()) {
            return CompletableFuture.completedFuture(new Observation(election, Optional.empty(), snapshot.tokenMax()));
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
