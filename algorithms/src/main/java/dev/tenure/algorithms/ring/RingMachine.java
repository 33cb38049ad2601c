// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.ring;

import static dev.tenure.algorithms.Effect.FOREVER;
import static dev.tenure.algorithms.Effect.LEADER;

import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Event;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.Machine;
import dev.tenure.algorithms.Message;
import dev.tenure.algorithms.Step;
import dev.tenure.algorithms.Suspects;
import dev.tenure.algorithms.ring.RingMessage.Elected;
import dev.tenure.algorithms.ring.RingMessage.Side;
import dev.tenure.algorithms.ring.RingState.Following;
import dev.tenure.algorithms.ring.RingState.Idle;
import dev.tenure.algorithms.ring.RingState.Leading;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What the three ring algorithms share: who is next, how an election begins again, how its end is told. "Busy" is a node that takes part
 * in an election. "Elect" is the algorithm's own.
 *
 * <pre>
 * event \ standing        | Idle    | busy             | Following i                | Leading
 * ------------------------+---------+------------------+----------------------------+-------------------------------
 * Called                  | elect   | –                | elect                      | elect
 * Elected, a higher id    | follow and pass on, in every standing; if that one is suspected: elect, unless busy
 * Elected, a lower id     | elect   | –                | elect                      | Elected: me
 * Elected, me             | lead and pass on, in every standing; take it off the ring if it was mine
 * retry runs out          | –       | elect            | –                          | –
 * Suspected j             | –       | –                | elect, if j is i           | with repair: Elected: me
 * Recovered j             | –       | –                | –                          | with repair: elect
 * a message of the algorithm: see there
 * </pre>
 *
 * <p>A leader repeats that it leads when a node has gone, because what went around may have died with that node; and holds an election
 * when one has come back, because that one may outrank it, or be another leader behind a partition that has healed.
 */
abstract sealed class RingMachine implements Machine<RingState> permits RingList, ChangRoberts, HirschbergSinclair {
    private static final String RETRY = "retry";

    final Group group;
    private final RingSettings settings;

    RingMachine(Group group, RingSettings settings) {
        this.group = group;
        this.settings = settings;
    }

    @Override
    public final RingState initial() {
        return new RingState(new Idle(), Suspects.NONE);
    }

    /** Begins an election here. */
    abstract Step<RingState> elect(RingState state);

    abstract Step<RingState> onMessage(RingState state, int from, RingMessage message);

    @Override
    public final Step<RingState> on(RingState before, Event event, long nowNanos) {
        RingState state = new RingState(before.standing(), Suspects.after(before.suspected(), event));
        if (event instanceof Event.Called) {
            return electUnlessBusy(state);
        }
        if (event instanceof Event.Received received && received.message() instanceof RingMessage message) {
            return message instanceof Elected elected
                    ? onElected(state, elected)
                    : onMessage(state, received.from(), message);
        }
        if (event instanceof Event.TimerFired fired && fired.timer().equals(RETRY) && state.isBusy()) {
            return elect(state);
        }
        if (event instanceof Event.Suspected gone) {
            return onSuspected(state, gone.peer());
        }
        if (event instanceof Event.Recovered && state.isLeading() && repairs()) {
            return elect(state);
        }
        return Step.to(state);
    }

    private Step<RingState> onSuspected(RingState state, int peer) {
        if (state.standing() instanceof Following following && following.leader() == peer) {
            return elect(state);
        }
        return state.isLeading() && repairs() ? Step.to(state, announce(state, group.me())) : Step.to(state);
    }

    private Step<RingState> onElected(RingState state, Elected elected) {
        if (elected.leader() < group.me()) {
            return state.isLeading() ? Step.to(state, announce(state, group.me())) : electUnlessBusy(state);
        }
        if (state.suspected().contains(elected.leader())) {
            return electUnlessBusy(state);
        }
        boolean home = elected.origin() == group.me() || state.suspected().contains(elected.origin());
        return settle(state, elected.leader(), home ? List.of() : List.of(send(state, Side.AFTER, elected)));
    }

    final Step<RingState> electUnlessBusy(RingState state) {
        return state.isBusy() ? Step.to(state) : elect(state);
    }

    /** The election has ended here, and the others shall know. */
    final Step<RingState> conclude(RingState state, int leader) {
        return settle(state, leader, announce(state, leader));
    }

    private Step<RingState> settle(RingState state, int leader, List<Effect> sends) {
        List<Effect> effects = new ArrayList<>(sends);
        effects.add(new Effect.CancelTimer(RETRY));
        if (leader == group.me()) {
            effects.add(new Effect.Lead(LEADER, 0, FOREVER));
            return Step.to(state.to(new Leading()), effects);
        }
        effects.add(new Effect.Follow(LEADER, leader, 0));
        return Step.to(state.to(new Following(leader)), effects);
    }

    /** Joins an election: what was believed before is open again. */
    final Step<RingState> take(RingState state, RingState.Standing part, List<Effect> sends) {
        List<Effect> effects = new ArrayList<>(sends);
        effects.add(Effect.SetTimer.exactly(RETRY, settings.patiencePerNode().toNanos() * group.size()));
        effects.add(new Effect.Undecided(LEADER, 0));
        return Step.to(state.to(part), effects);
    }

    private List<Effect> announce(RingState state, int leader) {
        return isAlone(state) ? List.of() : List.of(send(state, Side.AFTER, new Elected(leader, group.me())));
    }

    final boolean isAlone(RingState state) {
        return group.after(skipped(state)) == group.me();
    }

    final Effect send(RingState state, Side side, Message message) {
        return new Effect.Send(
                side == Side.AFTER ? group.after(skipped(state)) : group.before(skipped(state)), message);
    }

    private Set<Integer> skipped(RingState state) {
        return repairs() ? state.suspected() : Suspects.NONE;
    }

    private boolean repairs() {
        return settings.repair() == RingSettings.Repair.AROUND_THE_DEAD;
    }
}
