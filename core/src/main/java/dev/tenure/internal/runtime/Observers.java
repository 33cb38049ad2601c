// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime;

import dev.tenure.ElectionName;
import dev.tenure.Leader;
import dev.tenure.LeaderWatch;
import dev.tenure.TenureEvent;
import dev.tenure.internal.runtime.events.SerialExecutor;
import dev.tenure.spi.DurationText;
import dev.tenure.spi.Host;
import dev.tenure.spi.Observation;
import dev.tenure.spi.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The watches of one client: one notification for all of them, and one poll behind it. */
public final class Observers {
    private static final int CHANGES_WAITING_MAX = 10_000;

    private final Engine engine;
    private final Host host;
    private final long pollNanos;
    private final long unknownAfterNanos;
    private final List<ObservedElection> all = new ArrayList<>();
    private Optional<Watch> watch = Optional.empty();
    private Host.Timer poll = () -> {};

    public Observers(Engine engine, Duration ttl) {
        this.engine = engine;
        this.host = engine.host;
        this.pollNanos = ttl.toNanos() / 2;
        this.unknownAfterNanos = ttl.toNanos();
    }

    /** Any thread. */
    public LeaderWatch observe(ElectionName election) {
        ObservedElection observed = new ObservedElection(election);
        engine.post(() -> {
            all.add(observed);
            if (watch.isEmpty()) {
                watch = Optional.of(engine.backend.watch(changed -> engine.post(() -> look(changed))));
                armPoll();
            }
            look(observed);
        });
        return observed;
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
        all.stream()
                .filter(observed -> observed.election.equals(changed))
                .toList()
                .forEach(this::look);
    }

    private void look(ObservedElection observed) {
        observed.forgetIfSilent();
        long sentNanos = host.nanos();
        BackendCalls.of(
                engine,
                () -> engine.backend.read(observed.election),
                seen -> {
                    engine.noteFloor(seen);
                    observed.saw(seen, sentNanos);
                },
                failure -> engine.troubled("looking at " + observed.election, failure));
    }

    /** One watched election. The loop writes what it sees; any thread reads it. */
    private final class ObservedElection implements LeaderWatch {
        private final ElectionName election;
        private final List<Listener> listeners = new ArrayList<>();
        private final List<Host.Signal> awaiting = new ArrayList<>();
        private long contactNanos = host.nanos();
        /** When that was asked for which is shown now. */
        private long shownNanos = contactNanos;

        private long tokenMax;
        private volatile LeaderState state = new LeaderState.Unknown();

        private record Listener(Consumer<Change> listener, SerialExecutor queue) {
            void deliver(Change change) {
                queue.execute(() -> listener.accept(change));
            }
        }

        ObservedElection(ElectionName election) {
            this.election = election;
        }

        @Override
        public ElectionName election() {
            return election;
        }

        @Override
        public LeaderState state() {
            return state;
        }

        @Override
        public void onChange(Consumer<Change> listener) {
            engine.post(() -> {
                SerialExecutor queue =
                        new SerialExecutor("a listener of " + election, CHANGES_WAITING_MAX, host, host::runCallback);
                Listener added = new Listener(listener, queue);
                listeners.add(added);
                added.deliver(new Change(Optional.empty(), leader(), state));
            });
        }

        @Override
        public Optional<Leader> await(Duration atMost) throws InterruptedException {
            Host.Signal led = host.signal();
            engine.post(() -> {
                awaiting.add(led);
                if (state instanceof LeaderState.Led) {
                    led.set();
                }
            });
            boolean seen = led.await(DurationText.nanos(atMost));
            engine.post(() -> awaiting.remove(led));
            return seen ? leader() : Optional.empty();
        }

        @Override
        public void close() {
            engine.post(() -> {
                all.remove(this);
                discard();
                if (all.isEmpty()) {
                    Observers.this.close();
                }
            });
        }

        /** On the loop: no change is reported any more. */
        private void discard() {
            listeners.forEach(listener -> listener.queue().discard());
        }

        /** What was known is not known any more if nothing was received for too long. */
        private void forgetIfSilent() {
            if (host.nanos() - contactNanos >= unknownAfterNanos) {
                become(new LeaderState.Unknown());
            }
        }

        /** What was seen is as old as the question: of no use after a TTL, or when the answer to a later question was first. */
        private void saw(Observation seen, long sentNanos) {
            if (sentNanos - shownNanos < 0 || host.nanos() - sentNanos >= unknownAfterNanos) {
                return;
            }
            shownNanos = sentNanos;
            contactNanos = host.nanos();
            long token = seen.leader().map(leader -> leader.token().value()).orElse(seen.tokenMax());
            if (token < tokenMax) {
                become(new LeaderState.Vacant()); // tokens never go back: who shows an older one is not the leader
                return;
            }
            tokenMax = token;
            become(seen.leader().<LeaderState>map(LeaderState.Led::new).orElseGet(LeaderState.Vacant::new));
        }

        private void become(LeaderState now) {
            boolean same = isSame(state, now);
            Optional<Leader> from = leader();
            state = now;
            if (same) {
                return;
            }
            Change change = new Change(from, leader(), now);
            if (now instanceof LeaderState.Led) {
                awaiting.forEach(Host.Signal::set);
            }
            if (!from.equals(change.to())) {
                engine.events.publish(new TenureEvent.LeaderChanged(election, from, change.to()));
            }
            listeners.forEach(listener -> listener.deliver(change));
        }
    }

    /** Since when somebody leads may become known a moment later than that it leads: nobody has to be notified. */
    private static boolean isSame(LeaderWatch.LeaderState before, LeaderWatch.LeaderState now) {
        if (before instanceof LeaderWatch.LeaderState.Led one && now instanceof LeaderWatch.LeaderState.Led two) {
            Leader known = one.leader();
            Leader seen = two.leader();
            return known.node().equals(seen.node())
                    && known.token().equals(seen.token())
                    && known.metadata().equals(seen.metadata());
        }
        return before.equals(now);
    }
}
