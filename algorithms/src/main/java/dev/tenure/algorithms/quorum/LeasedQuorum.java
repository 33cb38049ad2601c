// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.quorum;

import static dev.tenure.algorithms.Effect.LEADER;

import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Event;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.Machine;
import dev.tenure.algorithms.Message;
import dev.tenure.algorithms.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The quorum election with a lease, which it does not have by itself: the leader of a term believes only until {@code lease} after it
 * sent what a majority has answered, and nobody votes for another within {@code standMin} of answering. It carries the machine and lets
 * through all that it says, except "I lead, for ever".
 *
 * <pre>
 * event                  | what happens
 * -----------------------+---------------------------------------------------------------------------------------
 * Started                | counts as having heard a leader now
 * Stand of a candidate   | dropped while the vote is withheld; otherwise the machine's, and a vote counts as having heard a leader
 * the machine leads      | Keep to all; leads until its candidacy began + lease
 * keep fires, leading    | Keep to all
 * Refuse, leading        | dropped: who is in a later term gets no majority before the lease ends, or it resigns
 * Keep, not an old term  | as Leads for the machine; then, in its term: heard now, answer Kept
 * Kept, my term, leading | leads until what a majority has answered was sent + lease
 * lease runs out         | leads no longer, and begins again in its term
 * stand, vote withheld   | set again: nobody stands while it withholds its own vote
 * Event.Resigned         | leading, or standing: Left to all, and it begins again in its term
 * Left, my term          | if it voted for that one or follows it: withholds nothing, and begins again in its term
 * </pre>
 */
public final class LeasedQuorum implements Machine<LeasedQuorum.State> {
    /** The timer by which a leader asks a majority whether it still leads. */
    public static final String KEEP = "keep";

    /** The timer by which a node stands. */
    public static final String STAND = Quorum.STAND;

    private static final String LEASE = "lease";

    private final Quorum machine;
    private final Group group;
    private final QuorumSettings settings;
    private final Duration lease;

    /** @param lease shorter than {@code standMin} by more than two clocks may differ */
    public LeasedQuorum(Group group, QuorumSettings settings, Duration lease) {
        this.machine = new Quorum(group, settings);
        this.group = group;
        this.settings = settings;
        this.lease = lease;
    }

    /**
     * @param contactNanos when it last answered a leader, or gave its vote to another, or began
     * @param stoodNanos when it began to stand
     */
    public record State(QuorumState inner, long contactNanos, long stoodNanos, Optional<Leading> leading) {
        State with(QuorumState next) {
            return new State(next, contactNanos, stoodNanos, leading);
        }

        State withContact(long nanos) {
            return new State(inner, nanos, stoodNanos, leading);
        }

        State leading(Optional<Leading> next) {
            return new State(inner, contactNanos, stoodNanos, next);
        }
    }

    /** @param answeredNanos when that was sent which each of the others has answered */
    public record Leading(Map<Integer, Long> answeredNanos, long untilNanos) {}

    @Override
    public State initial() {
        return new State(machine.initial(), 0, 0, Optional.empty());
    }

    @Override
    public Step<State> on(State state, Event event, long nowNanos) {
        if (event instanceof Event.Started) {
            return carried(state.withContact(nowNanos), event, nowNanos);
        }
        if (event instanceof Event.Resigned) {
            return resign(state, nowNanos);
        }
        if (event instanceof Event.TimerFired fired && fired.timer().equals(STAND) && withholds(state, nowNanos)) {
            return Step.to(state, machine.waiting());
        }
        if (event instanceof Event.TimerFired fired && state.leading().isPresent()) {
            if (fired.timer().equals(KEEP)) {
                return Step.to(state, keep(state, nowNanos));
            }
            if (fired.timer().equals(LEASE) && nowNanos >= state.leading().get().untilNanos()) {
                return end(state, List.of(), nowNanos);
            }
        }
        if (event instanceof Event.Received received) {
            return onMessage(state, received, nowNanos);
        }
        return carried(state, event, nowNanos);
    }

    private Step<State> resign(State state, long nowNanos) {
        boolean stands = state.leading().isPresent() || state.inner().standing() instanceof QuorumState.Candidate;
        return stands
                ? end(state, Group.send(group.others(), new LeaseMessage.Left(term(state), group.me())), nowNanos)
                : Step.to(state);
    }

    private Step<State> onMessage(State state, Event.Received received, long nowNanos) {
        Message message = received.message();
        // A leader that gave in to a refusal could vote at once for the one that refused, while its own session
        // believes.
        boolean held = message instanceof QuorumMessage.Stand
                || (message instanceof QuorumMessage.Refuse && state.leading().isPresent());
        if (held && withholds(state, nowNanos)) {
            return Step.to(state);
        }
        if (!(message instanceof LeaseMessage about)) {
            return carried(state, received, nowNanos);
        }
        if (about instanceof LeaseMessage.Keep keep) {
            return onKeep(state, received.from(), keep, nowNanos);
        }
        if (about.term() != term(state)) {
            return Step.to(state);
        }
        if (about instanceof LeaseMessage.Kept kept) {
            return kept(state, received.from(), kept.sentNanos(), nowNanos);
        }
        return about instanceof LeaseMessage.Left left && isBoundTo(state, left.who())
                ? end(state.withContact(nowNanos - settings.standMin().toNanos()), List.of(), nowNanos)
                : Step.to(state);
    }

    private Step<State> onKeep(State state, int from, LeaseMessage.Keep keep, long nowNanos) {
        Step<State> step =
                carried(state, new Event.Received(from, new QuorumMessage.Leads(keep.term(), true)), nowNanos);
        if (term(step.state()) != keep.term()) {
            return step;
        }
        List<Effect> effects = new ArrayList<>(step.effects());
        effects.add(new Effect.Send(from, new LeaseMessage.Kept(keep.term(), keep.sentNanos())));
        return Step.to(step.state().withContact(nowNanos), effects);
    }

    /** Only by its vote or by having followed: what binds it for another reason goes on to. */
    private static boolean isBoundTo(State state, int who) {
        QuorumState.Standing standing = state.inner().standing();
        if (standing instanceof QuorumState.Following following) {
            return following.leader() == who;
        }
        return standing instanceof QuorumState.Waiting
                && state.inner().ballot().vote().equals(Optional.of(who));
    }

    /** Its own vote for itself binds it only while it leads: nobody else can lead by it. */
    private boolean withholds(State state, long nowNanos) {
        return state.leading().isPresent()
                || nowNanos - state.contactNanos() < settings.standMin().toNanos();
    }

    private Step<State> kept(State state, int from, long sentNanos, long nowNanos) {
        if (state.leading().isEmpty()) {
            return Step.to(state);
        }
        Leading leading = state.leading().get();
        Map<Integer, Long> answered = new TreeMap<>(leading.answeredNanos());
        answered.merge(from, sentNanos, Math::max);
        long untilNanos = leading.untilNanos();
        if (answered.size() + 1 >= group.majority()) {
            long sentToMajority = answered.values().stream()
                    .sorted(Comparator.reverseOrder())
                    .skip(group.majority() - 2L)
                    .findFirst()
                    .orElseThrow();
            untilNanos = Math.max(untilNanos, sentToMajority + lease.toNanos());
        }
        State next = state.leading(Optional.of(new Leading(answered, untilNanos)));
        return untilNanos == leading.untilNanos() ? Step.to(next) : Step.to(next, lease(next, untilNanos, nowNanos));
    }

    /** Begins again in its term, with its vote: the machine has no other way to stop leading. */
    private Step<State> end(State state, List<Effect> sends, long nowNanos) {
        List<Effect> effects = new ArrayList<>(sends);
        effects.add(new Effect.Undecided(LEADER, term(state)));
        Event again = new Event.Started(Optional.of(state.inner().ballot()));
        Step<State> restarted = carried(state.with(machine.initial()).leading(Optional.empty()), again, nowNanos);
        Step<State> waiting = carried(restarted.state(), new Event.Called(), nowNanos);
        effects.addAll(waiting.effects());
        return Step.to(waiting.state(), effects);
    }

    private Step<State> carried(State before, Event event, long nowNanos) {
        long termBefore = term(before);
        Step<QuorumState> inner = machine.on(before.inner(), event, nowNanos);
        State state = before.with(inner.state());
        if (inner.state().standing() instanceof QuorumState.Candidate && term(state) > termBefore) {
            state = new State(state.inner(), state.contactNanos(), nowNanos, Optional.empty());
        }
        List<Effect> effects = new ArrayList<>();
        for (Effect effect : inner.effects()) {
            if (effect instanceof Effect.Lead && group.majority() > 1) {
                long untilNanos = state.stoodNanos() + lease.toNanos();
                state = state.leading(Optional.of(new Leading(Map.of(), untilNanos)));
                effects.addAll(lease(state, untilNanos, nowNanos));
                effects.addAll(keep(state, nowNanos));
                continue;
            }
            if (effect instanceof Effect.Undecided || effect instanceof Effect.Follow) {
                state = state.leading(Optional.empty());
            }
            if (effect instanceof Effect.Persist persist && votesForAnother(persist)) {
                state = state.withContact(nowNanos);
            }
            effects.add(effect);
        }
        return Step.to(state, effects);
    }

    private static boolean votesForAnother(Effect.Persist persist) {
        return persist.then().stream()
                .anyMatch(then -> then instanceof Effect.Send send && send.message() instanceof QuorumMessage.Vote);
    }

    private List<Effect> keep(State state, long nowNanos) {
        List<Effect> effects =
                new ArrayList<>(Group.send(group.others(), new LeaseMessage.Keep(term(state), nowNanos)));
        effects.add(Effect.SetTimer.exactly(KEEP, settings.announce().toNanos()));
        return effects;
    }

    private static List<Effect> lease(State state, long untilNanos, long nowNanos) {
        return List.of(
                new Effect.Lead(LEADER, term(state), untilNanos),
                Effect.SetTimer.exactly(LEASE, Math.max(0, untilNanos - nowNanos)));
    }

    private static long term(State state) {
        return state.inner().ballot().term();
    }
}
