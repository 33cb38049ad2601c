// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One machine, driven event by event. */
public final class Drive<S> {
    private final Machine<S> machine;
    private S state;
    private long nowNanos;
    private List<Effect> effects = List.of();

    private Drive(Machine<S> machine) {
        this.machine = machine;
        this.state = machine.initial();
    }

    public static <S> Drive<S> started(Machine<S> machine) {
        return new Drive<>(machine).on(new Event.Started(Optional.empty()));
    }

    public static <S> Drive<S> restarted(Machine<S> machine, Durable saved) {
        return new Drive<>(machine).on(new Event.Started(Optional.of(saved)));
    }

    public Drive<S> at(long nanos) {
        nowNanos = nanos;
        return this;
    }

    public Drive<S> on(Event event) {
        Step<S> step = machine.on(state, event, nowNanos);
        state = step.state();
        effects = step.effects();
        return this;
    }

    public Drive<S> called() {
        return on(new Event.Called());
    }

    public Drive<S> receives(int from, Message message) {
        return on(new Event.Received(from, message));
    }

    public Drive<S> fires(String timer) {
        return on(new Event.TimerFired(timer));
    }

    public Drive<S> suspects(int peer) {
        return on(new Event.Suspected(peer));
    }

    public Drive<S> recovers(int peer) {
        return on(new Event.Recovered(peer));
    }

    public S state() {
        return state;
    }

    /** Of the last event, those that wait for the disk included. */
    public List<Effect> effects() {
        return flat(effects);
    }

    /** Of the last event, what need not wait for the disk. */
    public List<Effect> atOnce() {
        return effects;
    }

    private static List<Effect> flat(List<Effect> effects) {
        List<Effect> all = new ArrayList<>();
        for (Effect effect : effects) {
            all.add(effect);
            if (effect instanceof Effect.Persist persist) {
                all.addAll(flat(persist.then()));
            }
        }
        return all;
    }

    public List<Effect.Send> sends() {
        return effects().stream()
                .filter(Effect.Send.class::isInstance)
                .map(Effect.Send.class::cast)
                .toList();
    }
}
