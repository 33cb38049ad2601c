package dev.tenure.internal.loop;

import dev.tenure.ElectionName;
import dev.tenure.spi.Backend;
import dev.tenure.spi.Host;
import dev.tenure.spi.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The watches of one client: one notification for all of them, and one poll behind it. */
public final class Observers {
    private final Engine engine;
    private final Backend backend;
    private final Host host;
    private final long pollNanos;
    private final long unknownAfterNanos;
    private final List<ObservedElection> all = new ArrayList<>();
    private Optional<Watch> watch = Optional.empty();
    private Host.Timer poll = () -> {};

    public Observers(Engine engine, Duration ttl) {
        this.engine = engine;
        this.backend = engine.backend();
        this.host = engine.host();
        this.pollNanos = ttl.toNanos() / 2;
        this.unknownAfterNanos = ttl.toNanos();
    }

    /** Any thread. */
    public ObservedElection observe(ElectionName election) {
        ObservedElection observed = new ObservedElection(election, this, engine);
        engine.post(() -> {
            all.add(observed);
            if (watch.isEmpty()) {
                watch = Optional.of(backend.watch(changed -> engine.post(() -> look(changed))));
                armPoll();
            }
            look(observed);
        });
        return observed;
    }

    void forget(ObservedElection observed) {
        engine.post(() -> {
            all.remove(observed);
            observed.discard();
            if (all.isEmpty()) {
                close();
            }
        });
    }

    /** On the loop. */
    public void close() {
        all.forEach(ObservedElection::discard);
        poll.cancel();
        watch.ifPresent(Watch::close);
        watch = Optional.empty();
    }

    private void armPoll() {
        poll = host.wakeAt(
                host.nanos() + pollNanos,
                () -> engine.guard(() -> {
                    armPoll();
                    List.copyOf(all).forEach(this::look);
                }));
    }

    private void look(ElectionName changed) {
        for (ObservedElection observed : List.copyOf(all)) {
            if (observed.election().equals(changed)) {
                look(observed);
            }
        }
    }

    private void look(ObservedElection observed) {
        observed.lookedAt(host.nanos(), unknownAfterNanos);
        Replies.of(
                host,
                () -> backend.read(observed.election()),
                seen -> engine.guard(() -> {
                    engine.noteFloor(seen);
                    observed.saw(seen, host.nanos());
                }),
                failure -> engine.troubled("looking at " + observed.election(), failure));
    }
}
