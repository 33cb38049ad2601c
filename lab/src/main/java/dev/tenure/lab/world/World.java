// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.world;

import static dev.tenure.algorithms.Effect.FOREVER;

import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.Message;
import dev.tenure.algorithms.detector.HeartbeatDetector;
import dev.tenure.lab.Experiment;
import dev.tenure.lab.trace.Trace;
import dev.tenure.lab.trace.TraceEvent;
import dev.tenure.lab.trace.TraceText;
import dev.tenure.testing.SplitMix64;
import dev.tenure.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Runs one experiment, from its beginning to its end, and leaves a trace. Used once. */
public final class World {
    private static final Duration BEAT = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofMillis(350);
    private static final long EVENTS_MAX = 5_000_000;

    private final Experiment experiment;
    private final Observer observer;
    private final VirtualTime time = new VirtualTime();
    private final SplitMix64 chance;
    private final Network network;
    private final Beliefs beliefs = new Beliefs();
    private final Resource resource = new Resource();
    private final List<TraceEvent> events = new ArrayList<>();
    private final TreeMap<Integer, Node> nodes = new TreeMap<>();
    private final Set<Integer> living = new TreeSet<>();

    private World(Experiment experiment, Observer observer) {
        this.experiment = experiment;
        this.observer = observer;
        SplitMix64 random = new SplitMix64(experiment.seed());
        this.chance = random.fork();
        this.network = new Network(experiment.nodes(), time, random.fork(), this::receive);
        for (int id : experiment.ring()) {
            Group group = new Group(id, experiment.ring());
            boolean detecting =
                    experiment.detecting() && experiment.config().algorithm().needsDetector();
            nodes.put(
                    id,
                    new Node(
                            id,
                            this,
                            experiment.config().machine(group),
                            detecting ? Optional.of(new HeartbeatDetector(group, BEAT, PATIENCE)) : Optional.empty()));
        }
    }

    public static Trace run(Experiment experiment) {
        return run(experiment, Observer.NOBODY);
    }

    public static Trace run(Experiment experiment, Observer observer) {
        return new World(experiment, observer).play(false);
    }

    /** Ends as soon as all that live agree on a leader. */
    public static Trace runUntilSettled(Experiment experiment) {
        return new World(experiment, Observer.NOBODY).play(true);
    }

    private Trace play(boolean untilSettled) {
        new FaultInjector(this, network, time, experiment).schedule();
        time.at(0, this::begin);
        while (time.runNextUntil(experiment.forNanos())) {
            if (time.happened() > EVENTS_MAX) {
                throw new IllegalArgumentException("more than " + EVENTS_MAX + " events in "
                        + TraceText.millis(time.nanos()) + ": take fewer nodes, or less time");
            }
            if (beliefs.settles(living, time.nanos()) && untilSettled) {
                break;
            }
        }
        long end = untilSettled ? time.nanos() : experiment.forNanos();
        return new Trace(
                network.messageTraces(),
                beliefs.all(end),
                events,
                resource.writes(),
                beliefs.firstLeaderNanos(),
                beliefs.settledNanos(),
                end);
    }

    private void begin() {
        nodes.keySet().forEach(this::start);
        experiment.callers().forEach(id -> node(id).call());
        if (experiment.writing()) {
            nodes.keySet().forEach(id -> resource.writeRegularly(id, this));
        }
    }

    void start(int id) {
        living.add(id);
        node(id).start();
    }

    /** As after a crash: somebody wants a leader again. */
    void restart(int id) {
        if (!node(id).isUp()) {
            start(id);
            node(id).call();
        }
    }

    Node node(int id) {
        Node node = nodes.get(id);
        if (node == null) {
            throw new IllegalArgumentException("there is no node " + id);
        }
        return node;
    }

    /** The leader, or else the node with the highest id. */
    int leader() {
        return beliefs.leader(nanos()).orElseGet(nodes::lastKey);
    }

    Optional<Long> termLedBy(int id) {
        return beliefs.termLedBy(id, nanos());
    }

    long nanos() {
        return time.nanos();
    }

    SplitMix64 chance() {
        return chance;
    }

    VirtualTime.Event after(long nanos, Runnable action) {
        return time.at(time.nanos() + nanos, action);
    }

    void mark(int node, TraceEvent.Kind kind, String text) {
        events.add(new TraceEvent(nanos(), node, kind, text));
    }

    void forget(int id) {
        living.remove(id);
        beliefs.forget(id, nanos());
    }

    void stepped(int id, Object state) {
        observer.stepped(id, state);
    }

    private boolean receive(int from, int to, Message message) {
        boolean up = node(to).isUp();
        node(to).receive(from, message);
        return up;
    }

    void perform(int id, Effect effect) {
        if (effect instanceof Effect.Send send) {
            if (send.to() == id) {
                after(0, () -> node(id).receive(id, send.message()));
            } else {
                network.send(id, send.to(), send.message());
                node(id).sent(send.message());
            }
        } else if (effect instanceof Effect.Lead lead) {
            beliefs.believe(id, lead.role(), id, lead.term(), lead.untilNanos(), nanos());
        } else if (effect instanceof Effect.Follow follow) {
            beliefs.believe(id, follow.role(), follow.leader(), follow.term(), FOREVER, nanos());
        } else if (effect instanceof Effect.Undecided open) {
            beliefs.believe(id, open.role(), 0, open.term(), FOREVER, nanos());
        } else {
            throw new IllegalStateException("not an effect for the world: " + effect);
        }
    }
}
