// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.world;

import dev.tenure.algorithms.Durable;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Event;
import dev.tenure.algorithms.Machine;
import dev.tenure.algorithms.Message;
import dev.tenure.algorithms.Step;
import dev.tenure.algorithms.detector.Heartbeat;
import dev.tenure.algorithms.detector.HeartbeatDetector;
import dev.tenure.lab.trace.TraceEvent;
import dev.tenure.testing.VirtualTime;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** One node: the machine, its failure detector, its timers and its disk, through crashes and pauses. */
final class Node {
    private static final long DISK_MIN_NANOS = 200_000;
    private static final long DISK_SPREAD_NANOS = 1_800_000;

    private record Pending(Durable saved, List<Effect> then) {}

    /** @param number tells it from others of its name */
    private record Timer(long number, VirtualTime.Event event) {}

    private final int id;
    private final World world;
    private final Machine<Object> machine;
    private final Optional<HeartbeatDetector> detector;
    private final Map<String, Timer> timers = new HashMap<>();
    private final Deque<Pending> disk = new ArrayDeque<>();
    private final Deque<Runnable> backlog = new ArrayDeque<>();
    private Object state;
    private HeartbeatDetector.State detected;
    private Optional<Durable> saved = Optional.empty();
    private long diskFreeNanos;
    private long diskExtraNanos;
    private long timersSet;
    private OptionalLong downNanos = OptionalLong.empty();
    private int life;
    private int pauses;
    private boolean up;

    @SuppressWarnings("unchecked")
    Node(int id, World world, Machine<?> machine, Optional<HeartbeatDetector> detector) {
        this.id = id;
        this.world = world;
        this.machine = (Machine<Object>) machine; // a machine only ever sees states that it has made itself
        this.detector = detector;
        this.state = this.machine.initial();
        this.detected = new HeartbeatDetector.State(Map.of(), java.util.Set.of());
    }

    boolean isUp() {
        return up;
    }

    void start() {
        if (up) {
            return;
        }
        up = true;
        life++;
        world.mark(
                id, TraceEvent.Kind.START, saved.map(record -> "with " + record).orElse(""));
        state = machine.initial();
        act(() -> {
            detector.ifPresent(one -> {
                detected = one.initial();
                detect(new Event.Started(Optional.empty()));
            });
            handle(new Event.Started(saved));
        });
    }

    void crash() {
        if (!up) {
            return;
        }
        up = false;
        world.mark(id, TraceEvent.Kind.CRASH, "");
        timers.values().forEach(timer -> timer.event().cancel());
        timers.clear();
        backlog.clear();
        // Of what was being written, in its order, some is on the disk and the rest is not.
        for (long lucky = disk.isEmpty() ? 0 : world.chance().below(disk.size() + 1L); lucky > 0; lucky--) {
            saved = Optional.of(disk.removeFirst().saved());
        }
        disk.clear();
        diskFreeNanos = 0;
        world.forget(id);
    }

    void pause() {
        pauses++;
        if (up && pauses == 1) {
            world.mark(id, TraceEvent.Kind.PAUSE, "");
        }
    }

    void resume() {
        pauses--;
        if (pauses > 0) {
            return;
        }
        if (up) {
            world.mark(id, TraceEvent.Kind.RESUME, "");
        }
        while (pauses == 0 && !backlog.isEmpty()) {
            backlog.removeFirst().run();
        }
    }

    /** From now on it may crash whenever it has said something, and start again that much later. */
    void fragile(OptionalLong time) {
        downNanos = time;
    }

    /** It has said this: what it believes to be on its disk had better be there. */
    void sent(Message message) {
        if (downNanos.isPresent() && !message.isBackground() && world.chance().below(2) == 0) {
            world.after(0, this::crash);
            world.after(downNanos.getAsLong(), () -> world.restart(id));
        }
    }

    /** From now on what it writes takes up to that much longer. */
    void slowDisk(long extraNanos) {
        diskExtraNanos = extraNanos;
    }

    /** Does it now, or when the pause is over; not at all if the node crashes before. */
    void act(Runnable action) {
        if (!up) {
            return;
        }
        if (pauses > 0) {
            backlog.addLast(action);
        } else {
            action.run();
        }
    }

    void call() {
        act(() -> handle(new Event.Called()));
    }

    void receive(int from, Message message) {
        act(() -> {
            if (message instanceof Heartbeat) {
                detect(new Event.Received(from, message));
            } else {
                handle(new Event.Received(from, message));
            }
        });
    }

    private void handle(Event event) {
        Step<Object> step = machine.on(state, event, world.nanos());
        state = step.state();
        world.stepped(id, state);
        perform(step.effects(), "");
    }

    private void detect(Event event) {
        HeartbeatDetector one = detector.orElseThrow();
        Step<HeartbeatDetector.State> step = one.on(detected, event, world.nanos());
        detected = step.state();
        perform(step.effects(), "detector ");
    }

    private void perform(List<Effect> effects, String owner) {
        for (Effect effect : effects) {
            if (effect instanceof Effect.SetTimer set) {
                setTimer(owner, set);
            } else if (effect instanceof Effect.CancelTimer cancel) {
                cancel(owner + cancel.timer());
            } else if (effect instanceof Effect.Persist persist) {
                persist(persist);
            } else if (effect instanceof Effect.Suspect suspect) {
                world.mark(id, TraceEvent.Kind.SUSPECT, "node " + suspect.peer());
                handle(new Event.Suspected(suspect.peer()));
            } else if (effect instanceof Effect.Trust trust) {
                world.mark(id, TraceEvent.Kind.TRUST, "node " + trust.peer());
                handle(new Event.Recovered(trust.peer()));
            } else {
                world.perform(id, effect);
            }
        }
    }

    private void setTimer(String owner, Effect.SetTimer set) {
        String name = owner + set.timer();
        cancel(name);
        long spread = set.maxNanos() - set.minNanos();
        long after = set.minNanos() + (spread == 0 ? 0 : world.chance().below(spread + 1));
        long number = ++timersSet;
        timers.put(name, new Timer(number, world.after(after, () -> act(() -> fire(owner, name, number)))));
    }

    private void cancel(String name) {
        Timer timer = timers.remove(name);
        if (timer != null) {
            timer.event().cancel();
        }
    }

    /** One that waited out a pause may have been replaced meanwhile. */
    private void fire(String owner, String name, long number) {
        Timer timer = timers.get(name);
        if (timer == null || timer.number() != number) {
            return;
        }
        timers.remove(name);
        Event event = new Event.TimerFired(name.substring(owner.length()));
        if (owner.isEmpty()) {
            handle(event);
        } else {
            detect(event);
        }
    }

    private void persist(Effect.Persist persist) {
        long took = DISK_MIN_NANOS + world.chance().below(DISK_SPREAD_NANOS + diskExtraNanos);
        diskFreeNanos = Math.max(diskFreeNanos, world.nanos() + took);
        Pending pending = new Pending(persist.saved(), persist.then());
        disk.addLast(pending);
        int living = life;
        world.after(diskFreeNanos - world.nanos(), () -> {
            if (up && life == living) {
                written(pending);
            }
        });
    }

    /** A record that does not differ from the last one costs time, but is not worth a mark. */
    private void written(Pending pending) {
        disk.remove(pending);
        boolean news = !saved.equals(Optional.of(pending.saved()));
        saved = Optional.of(pending.saved());
        if (news) {
            world.mark(id, TraceEvent.Kind.PERSIST, pending.saved().toString());
        }
        act(() -> perform(pending.then(), ""));
    }
}
