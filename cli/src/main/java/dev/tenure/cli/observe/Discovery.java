package dev.tenure.cli.observe;

import dev.tenure.ElectionName;
import dev.tenure.Tenure;
import dev.tenure.cli.command.Failure;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Finds elections that were not there before, and has each of them followed. */
final class Discovery {
    private static final Duration EVERY = Duration.ofSeconds(1);

    private final Tenure tenure;
    private final Host host;
    private final ChangeLines lines;
    private final CompletableFuture<Integer> end;
    private final Set<ElectionName> known = new HashSet<>();

    Discovery(Tenure tenure, Host host, ChangeLines lines, CompletableFuture<Integer> end) {
        this.tenure = tenure;
        this.host = host;
        this.lines = lines;
        this.end = end;
    }

    /** The first look must succeed; later ones may fail, and whoever follows an election says so. */
    void begin() {
        follow(tenure.elections().toCompletableFuture().join().keySet());
        lookLater();
    }

    private void lookLater() {
        host.post(() -> host.wakeAt(host.nanos() + EVERY.toNanos(), this::look));
    }

    private void look() {
        var unused = tenure.elections().whenComplete((found, failure) -> {
            if (failure == null) {
                follow(found.keySet());
            }
            lookLater();
        });
    }

    private synchronized void follow(Set<ElectionName> found) {
        try {
            found.stream().filter(known::add).forEach(name -> lines.follow(tenure.observe(name.value())));
        } catch (RuntimeException failure) {
            end.completeExceptionally(Failure.of(failure));
        }
    }
}
