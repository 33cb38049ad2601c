package dev.tenure.zookeeper;

import dev.tenure.ElectionName;
import dev.tenure.Leader;
import dev.tenure.spi.Observation;
import dev.tenure.spi.StoreEra;
import dev.tenure.zookeeper.wire.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Looks at elections without standing in them. Loop-confined. */
final class Sights {
    private static final int ROUNDS_MAX = 5;

    private final Calls calls;
    private final Settings settings;
    private final int era;

    private Sights(Calls calls, Settings settings, int era) {
        this.calls = calls;
        this.settings = settings;
        this.era = era;
    }

    static CompletableFuture<Observation> one(
            Calls calls, Settings settings, CompletableFuture<StoreEra> era, ElectionName election) {
        return era.thenCompose(now -> {
            Sights sights = new Sights(calls, settings, now.era());
            return calls.sync(settings.layout().elections()).thenCompose(synced -> sights.look(election, ROUNDS_MAX));
        });
    }

    static CompletableFuture<List<Observation>> all(Calls calls, Settings settings, CompletableFuture<StoreEra> era) {
        String elections = settings.layout().elections();
        return era.thenCompose(now -> {
            Sights sights = new Sights(calls, settings, now.era());
            return calls.sync(elections)
                    .thenCompose(synced -> calls.children(elections))
                    .exceptionallyCompose(failure -> StoreFailure.is(failure, Code.NONODE)
                            ? CompletableFuture.completedFuture(List.of())
                            : CompletableFuture.failedFuture(failure))
                    .thenCompose(sights::lookAtEach);
        });
    }

    /** All are asked for at once; the answers come in order. */
    private CompletableFuture<List<Observation>> lookAtEach(List<String> names) {
        List<CompletableFuture<Observation>> looks = names.stream()
                .map(settings.layout().naming()::election)
                .flatMap(Optional::stream)
                .map(election -> look(election, ROUNDS_MAX))
                .toList();
        return CompletableFuture.allOf(looks.toArray(CompletableFuture[]::new)).thenApply(done -> {
            List<Observation> seen = new ArrayList<>();
            for (CompletableFuture<Observation> look : looks) {
                Observation observation = look.join();
                if (observation.leader().isPresent() || observation.tokenMax() > 0) {
                    seen.add(observation);
                }
            }
            return seen;
        });
    }

    private CompletableFuture<Observation> look(ElectionName election, int rounds) {
        String path = settings.layout().election(election);
        return calls.readTogether(path, Moment.reads(path))
                .thenApply(results -> Moment.of(results, path, settings))
                .thenCompose(moment -> show(election, moment, rounds));
    }

    private CompletableFuture<Observation> show(ElectionName election, Moment moment, int rounds) {
        Optional<String> first = moment.latch().first();
        if (first.isEmpty()) {
            return CompletableFuture.completedFuture(new Observation(election, Optional.empty(), moment.tokenMax()));
        }
        String path = Layout.child(settings.layout().election(election), first.get());
        return calls.get(path)
                .thenApply(node -> {
                    Leader leader = moment.leader(election, first.get(), node, era, settings);
                    long tokenMax = Math.max(moment.tokenMax(), leader.token().value());
                    return new Observation(election, Optional.of(leader), tokenMax);
                })
                .exceptionallyCompose(failure -> {
                    boolean left = StoreFailure.is(failure, Code.NONODE);
                    return left && rounds > 1 ? look(election, rounds - 1) : CompletableFuture.failedFuture(failure);
                });
    }
}
