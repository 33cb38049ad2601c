package dev.tenure.internal.loop;

import dev.tenure.ElectionName;
import dev.tenure.Leader;
import dev.tenure.LeaderWatch;
import dev.tenure.TenureEvent;
import dev.tenure.spi.DurationText;
import dev.tenure.spi.Host;
import dev.tenure.spi.Observation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** One watched election. The loop writes what it sees; any thread reads it. */
public final class ObservedElection implements LeaderWatch {
    private static final int CHANGES_WAITING_MAX = 10_000;

    private final ElectionName election;
    private final Observers observers;
    private final Engine engine;
    private final List<Listener> listeners = new ArrayList<>();
    private final List<Host.Signal> awaiting = new ArrayList<>();
    private long contactNanos;
    private long tokenMax;
    private volatile Sight sight = new Sight.Unknown();

    private record Listener(Consumer<Change> listener, SerialExecutor queue) {
        void tell(Change change) {
            queue.execute(() -> listener.accept(change));
        }
    }

    ObservedElection(ElectionName election, Observers observers, Engine engine) {
        this.election = election;
        this.observers = observers;
        this.engine = engine;
        this.contactNanos = engine.host().nanos();
    }

    @Override
    public ElectionName election() {
        return election;
    }

    @Override
    public Sight sight() {
        return sight;
    }

    @Override
    public void onChange(Consumer<Change> listener) {
        engine.post(() -> {
            Listener added = new Listener(
                    listener,
                    new SerialExecutor(
                            "a listener of " + election, CHANGES_WAITING_MAX, engine.host(), engine.host()::call));
            listeners.add(added);
            added.tell(new Change(Optional.empty(), leader(), sight));
        });
    }

    @Override
    public Optional<Leader> await(Duration atMost) throws InterruptedException {
        Host.Signal led = engine.host().signal();
        engine.post(() -> {
            awaiting.add(led);
            if (sight instanceof Sight.Led) {
                led.set();
            }
        });
        boolean seen = led.await(DurationText.nanos(atMost));
        engine.post(() -> awaiting.remove(led));
        return seen ? leader() : Optional.empty();
    }

    @Override
    public void close() {
        observers.forget(this);
    }

    /** On the loop: no change is told any more. */
    void discard() {
        listeners.forEach(listener -> listener.queue().discard());
    }

    /** Asked again: if nothing was heard for too long, what was known is not known any more. */
    void lookedAt(long nowNanos, long unknownAfterNanos) {
        if (nowNanos - contactNanos >= unknownAfterNanos) {
            become(new Sight.Unknown());
        }
    }

    void saw(Observation seen, long nowNanos) {
        contactNanos = nowNanos;
        long token = seen.leader().map(leader -> leader.token().value()).orElse(seen.tokenMax());
        if (token < tokenMax) {
            become(new Sight.Vacant()); // tokens never go back: who shows an older one is not the leader
            return;
        }
        tokenMax = token;
        become(seen.leader().<Sight>map(Sight.Led::new).orElseGet(Sight.Vacant::new));
    }

    private void become(Sight now) {
        if (isSame(sight, now)) {
            sight = now;
            return;
        }
        Optional<Leader> from = leader();
        sight = now;
        Change change = new Change(from, leader(), now);
        if (now instanceof Sight.Led) {
            awaiting.forEach(Host.Signal::set);
        }
        if (!from.equals(change.to())) {
            engine.tell(new TenureEvent.LeaderChanged(election, from, change.to()));
        }
        listeners.forEach(listener -> listener.tell(change));
    }

    /** Since when somebody leads may become known a moment later than that he does: nobody has to be told. */
    private static boolean isSame(Sight before, Sight now) {
        if (before instanceof Sight.Led one && now instanceof Sight.Led two) {
            Leader known = one.leader();
            Leader seen = two.leader();
            return known.node().equals(seen.node())
                    && known.token().equals(seen.token())
                    && known.card().equals(seen.card());
        }
        return before.equals(now);
    }
}
