// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.quorum;

import static dev.tenure.algorithms.Effect.FOREVER;
import static dev.tenure.algorithms.Effect.LEADER;

import dev.tenure.algorithms.Description;
import dev.tenure.algorithms.Durable;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Event;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.Machine;
import dev.tenure.algorithms.Step;
import dev.tenure.algorithms.Suspects;
import dev.tenure.algorithms.quorum.QuorumMessage.Leads;
import dev.tenure.algorithms.quorum.QuorumMessage.Refuse;
import dev.tenure.algorithms.quorum.QuorumMessage.Stand;
import dev.tenure.algorithms.quorum.QuorumMessage.Vote;
import dev.tenure.algorithms.quorum.QuorumState.Ballot;
import dev.tenure.algorithms.quorum.QuorumState.Candidate;
import dev.tenure.algorithms.quorum.QuorumState.Following;
import dev.tenure.algorithms.quorum.QuorumState.Leading;
import dev.tenure.algorithms.quorum.QuorumState.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Election by quorum: a candidate of a new term leads it when a majority of the fixed membership has voted for it. A node votes
 * once in a term, and its vote is on the disk before anybody hears of it. Two majorities share a node, so no term has two
 * leaders, whatever the network does; and a minority never elects anybody.
 *
 * <p>Any message of a higher term first takes the node into that term, without a vote, Waiting; then this table applies:
 *
 * <pre>
 * event \ standing     | Waiting            | Candidate           | Following i             | Leading
 * ---------------------+--------------------+---------------------+-------------------------+---------------------
 * Started              | Waiting in the saved term
 * Called               | set the wait       | –                   | –                       | –
 * stand runs out       | stand: next term, vote for myself, ask all | –                     | –
 * Stand, my term       | vote, if I have not voted for another one in it; otherwise Refuse
 * Stand, an older term | Refuse with mine   | Refuse              | Refuse                  | Refuse
 * Vote, my term        | –                  | a majority: lead    | –                       | –
 * Leads, my term       | follow             | follow              | follow                  | –
 * Leads, an older term | Refuse with mine   | Refuse              | Refuse                  | Refuse
 * announce fires       | –                  | –                   | –                       | Leads to all
 * Suspected j          | –                  | –                   | Waiting, if j is i      | Waiting, if with j a majority is suspected
 * Recovered j          | –                  | –                   | –                       | Leads to j
 * </pre>
 */
public final class Quorum implements Machine<QuorumState> {
    public static final Description DESCRIPTION = new Description(
            "Quorum election",
            "majority voting after Gifford and Thomas, 1979",
            "A node that misses the leader waits for a random time, enters the next term, votes for itself and asks all others. Everybody"
                    + " votes once in a term, and writes its vote down before it tells it. A node with the votes of a majority"
                    + " of all members, living or not, leads that term.",
            List.of(
                    "the membership is fixed and known",
                    "a disk that keeps what it has confirmed: term and vote",
                    "for progress only: a majority that lives and hears each other in time"),
            List.of(
                    "at most one leader in a term, under any loss, delay, partition, pause and crash",
                    "a minority elects nobody",
                    "terms grow, so that a resource can refuse the old leader's writes"),
            List.of(
                    "one leader at a time: an old one believes until it hears of the new term or misses its majority",
                    "that the highest id leads",
                    "an end: votes can split again and again; chance makes that unlikely"),
            "2(n - 1) messages for a candidate that wins at once, and n - 1 to tell it");

    static final String STAND = "stand";
    private static final String ANNOUNCE = "announce";

    private final Group group;
    private final QuorumSettings settings;

    public Quorum(Group group, QuorumSettings settings) {
        this.group = group;
        this.settings = settings;
    }

    @Override
    public QuorumState initial() {
        return new QuorumState(new Ballot(0, Optional.empty()), new Waiting(), Suspects.NONE);
    }

    @Override
    public Step<QuorumState> on(QuorumState before, Event event, long nowNanos) {
        QuorumState state =
                new QuorumState(before.ballot(), before.standing(), Suspects.after(before.suspected(), event));
        if (event instanceof Event.Started started) {
            return Step.to(started.saved().map(saved -> restored(state, saved)).orElse(state));
        }
        if (event instanceof Event.Called && state.standing() instanceof Waiting) {
            return Step.to(state, waiting());
        }
        if (event instanceof Event.Received received && received.message() instanceof QuorumMessage message) {
            return onMessage(state, received.from(), message);
        }
        if (event instanceof Event.TimerFired fired) {
            return onTimer(state, fired.timer());
        }
        if (event instanceof Event.Suspected gone) {
            return onSuspected(state, gone.peer());
        }
        if (event instanceof Event.Recovered back && state.standing() instanceof Leading) {
            return Step.to(
                    state, new Effect.Send(back.peer(), new Leads(state.ballot().term(), true)));
        }
        return Step.to(state);
    }

    private static QuorumState restored(QuorumState state, Durable saved) {
        if (saved instanceof Ballot ballot) {
            return state.to(ballot, new Waiting());
        }
        throw new IllegalStateException("not a ballot: " + saved);
    }

    private Step<QuorumState> onTimer(QuorumState state, String timer) {
        boolean leaderless = state.standing() instanceof Waiting || state.standing() instanceof Candidate;
        if (timer.equals(STAND) && leaderless) {
            return stand(state);
        }
        if (timer.equals(ANNOUNCE) && state.standing() instanceof Leading) {
            return Step.to(state, announcement(state.ballot().term(), true));
        }
        return Step.to(state);
    }

    private Step<QuorumState> stand(QuorumState state) {
        long term = state.ballot().term() + 1;
        Ballot own = new Ballot(term, Optional.of(group.me()));
        List<Effect> effects = new ArrayList<>();
        effects.add(new Effect.Undecided(LEADER, term));
        effects.add(waiting());
        if (group.majority() == 1) {
            effects.add(new Effect.Persist(own, List.of(new Effect.Lead(LEADER, term, FOREVER))));
            return Step.to(state.to(own, new Leading()), effects);
        }
        effects.add(new Effect.Persist(own, Group.send(group.others(), new Stand(term))));
        return Step.to(state.to(own, new Candidate(Set.of(group.me()))), effects);
    }

    private Step<QuorumState> onMessage(QuorumState before, int from, QuorumMessage message) {
        long mine = before.ballot().term();
        if (message.term() < mine) {
            boolean wantsAnswer = message instanceof Stand || message instanceof Leads;
            return wantsAnswer ? Step.to(before, new Effect.Send(from, new Refuse(mine))) : Step.to(before);
        }
        if (message.term() == mine) {
            return inTerm(before, from, message);
        }
        QuorumState state = before.to(new Ballot(message.term(), Optional.empty()), new Waiting());
        Step<QuorumState> step = inTerm(state, from, message);
        List<Effect> effects = new ArrayList<>();
        effects.add(new Effect.Undecided(LEADER, message.term()));
        effects.add(waiting());
        effects.add(new Effect.Persist(state.ballot(), List.of()));
        effects.addAll(step.effects());
        return Step.to(step.state(), effects);
    }

    private Step<QuorumState> inTerm(QuorumState state, int from, QuorumMessage message) {
        long term = state.ballot().term();
        if (message instanceof Stand) {
            return vote(state, from);
        }
        if (message instanceof Vote && state.standing() instanceof Candidate candidate) {
            Set<Integer> votes = Suspects.with(candidate.votes(), from);
            return votes.size() < group.majority() ? Step.to(state.to(new Candidate(votes))) : lead(state);
        }
        if (message instanceof Leads && !(state.standing() instanceof Leading)) {
            return Step.to(
                    state.to(new Following(from)),
                    new Effect.CancelTimer(STAND),
                    new Effect.Follow(LEADER, from, term));
        }
        return Step.to(state);
    }

    private static Step<QuorumState> vote(QuorumState state, int candidate) {
        long term = state.ballot().term();
        if (state.ballot().vote().orElse(candidate) != candidate) {
            return Step.to(state, new Effect.Send(candidate, new Refuse(term)));
        }
        // Also a vote that is told a second time waits for the disk: the first may not have got there yet.
        Ballot voted = new Ballot(term, Optional.of(candidate));
        return Step.to(
                state.to(voted, state.standing()),
                new Effect.Persist(voted, List.of(new Effect.Send(candidate, new Vote(term)))));
    }

    private Step<QuorumState> lead(QuorumState state) {
        List<Effect> effects = new ArrayList<>(List.of(new Effect.CancelTimer(STAND)));
        effects.add(new Effect.Lead(LEADER, state.ballot().term(), FOREVER));
        effects.addAll(announcement(state.ballot().term(), false));
        return Step.to(state.to(new Leading()), effects);
    }

    private List<Effect> announcement(long term, boolean again) {
        List<Effect> effects = new ArrayList<>(Group.send(group.others(), new Leads(term, again)));
        effects.add(Effect.SetTimer.exactly(ANNOUNCE, settings.announce().toNanos()));
        return effects;
    }

    private Step<QuorumState> onSuspected(QuorumState state, int peer) {
        boolean leaderGone = state.standing() instanceof Following following && following.leader() == peer;
        boolean majorityGone = state.standing() instanceof Leading
                && group.size() - state.suspected().size() < group.majority();
        if (!leaderGone && !majorityGone) {
            return Step.to(state);
        }
        return Step.to(
                state.to(new Waiting()),
                new Effect.Undecided(LEADER, state.ballot().term()),
                waiting());
    }

    Effect waiting() {
        return new Effect.SetTimer(
                STAND, settings.standMin().toNanos(), settings.standMax().toNanos());
    }
}
