// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.raft;

import static dev.tenure.algorithms.Effect.LEADER;

import dev.tenure.algorithms.Description;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Event;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.Machine;
import dev.tenure.algorithms.Step;
import dev.tenure.algorithms.Suspects;
import dev.tenure.algorithms.raft.RaftMessage.Append;
import dev.tenure.algorithms.raft.RaftMessage.Appended;
import dev.tenure.algorithms.raft.RaftMessage.PreVote;
import dev.tenure.algorithms.raft.RaftMessage.PreVoted;
import dev.tenure.algorithms.raft.RaftMessage.RequestVote;
import dev.tenure.algorithms.raft.RaftMessage.Resigned;
import dev.tenure.algorithms.raft.RaftMessage.Voted;
import dev.tenure.algorithms.raft.RaftState.Candidate;
import dev.tenure.algorithms.raft.RaftState.Follower;
import dev.tenure.algorithms.raft.RaftState.Leader;
import dev.tenure.algorithms.raft.RaftState.PreCandidate;
import dev.tenure.algorithms.raft.RaftState.Saved;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The election of Raft (Ongaro and Ousterhout, 2014): terms, one durable vote in each, a majority, randomised timeouts; with
 * pre-vote and check-quorum (Ongaro's thesis, 9.6 and 6.4.1), and a lease. Of the log it keeps what an election asks for: where it
 * ends. A leader writes one entry when its term begins and one with every heartbeat, so that logs differ.
 *
 * <p>A message of a higher term first takes the node into that term, as a Follower without a vote; but a PreVote and a granted
 * PreVoted never do, and a RequestVote does not where the vote is withheld. A message of an older term is
 * answered with the own term and otherwise ignored. Then:
 *
 * <pre>
 * event \ role          | Follower            | PreCandidate          | Candidate              | Leader
 * ----------------------+---------------------+-----------------------+------------------------+---------------------
 * Started               | Follower in the saved term; counts as having heard a leader now
 * election runs out,    | set it again: nobody stands while it withholds its own vote            | –
 *   vote withheld       |                     |                       |                        |
 * election runs out     | ask all; with pre-vote as PreCandidate, otherwise, or with a majority | –
 *                       |   of pre-votes, as Candidate of the next term with its own vote       |
 * PreVote               | yes, if its term is above mine, its log not behind mine, and no vote is withheld; changes nothing
 * PreVoted, yes         | –                   | a majority: Candidate | –                      | –
 * RequestVote, my term  | vote, if not yet for another one, and its log is not behind mine
 * Voted, yes            | –                   | –                     | a majority: Leader     | –
 * Append                | follow; extend the log, on disk; answer (Candidates and PreCandidates, too)  | impossible
 * Appended              | –                   | –                     | –                      | lease and commit go on
 * heartbeat fires       | –                   | –                     | –                      | write; Append to all
 * lease runs out        | –                   | –                     | –                      | Follower
 * Event.Resigned        | –                   | Follower              | Follower; Resigned to all; a leader withholds nothing
 * Resigned, my term     | withholds no vote, if it voted for that one or follows it | –      | impossible
 * Called, Suspected, Recovered | nothing: it has its own timers
 * </pre>
 *
 * <p>Safety in a term: the vote is on the disk before it is told, and two majorities share a node. Safety of the lease: with
 * check-quorum a node withholds its vote for {@code electionMin} after it heard a leader, or voted for one; the lease counts from
 * the instant at which the leader <em>sent</em> what a majority answered. If it is shorter than {@code electionMin}, it ends before any
 * majority can vote for another one. If it is longer, belief may overlap, and only a resource that checks the term is safe.
 */
public final class Raft implements Machine<RaftState> {
    public static final Description DESCRIPTION = new Description(
            "Raft election",
            "Ongaro and Ousterhout, 2014",
            "A follower that hears no leader for a random time asks whether it would be elected, enters the next term, and asks"
                    + " for votes. A node votes once in a term, durably, and only for one whose log is not behind its own."
                    + " The leader of a term sends heartbeats; with check-quorum it steps down when a majority is silent.",
            List.of(
                    "the membership is fixed and known",
                    "a disk that keeps what it has confirmed: term, vote, log",
                    "for progress: a majority that lives, and messages faster than the election timeout",
                    "for the lease: clocks that run at about the same rate"),
            List.of(
                    "at most one leader in a term, under any loss, delay, partition, pause and crash",
                    "a new leader has every entry that a majority had",
                    "terms grow, so that a resource can refuse the old leader's writes",
                    "with a lease below the smallest election timeout: no two believe at once"),
            List.of(
                    "with a longer lease: one leader at a time",
                    "that a leader that was paused between its check and its write does not write: only the resource can"
                            + " refuse that, by the term",
                    "an end: votes can split again and again; random timeouts make that unlikely"),
            "2(n - 1) messages for pre-votes and 2(n - 1) for votes, if nobody else stands; then heartbeats");

    private static final String ELECTION = "election";
    private static final String HEARTBEAT = "heartbeat";
    private static final String LEASE = "lease";

    private final Group group;
    private final RaftSettings settings;
    private final RaftLeader raftLeader;

    public Raft(Group group, RaftSettings settings) {
        this.group = group;
        this.settings = settings;
        this.raftLeader = new RaftLeader(group, settings, HEARTBEAT, LEASE);
    }

    @Override
    public RaftState initial() {
        return new RaftState(new Saved(0, Optional.empty(), LogPosition.EMPTY), new Follower(Optional.empty()), 0);
    }

    @Override
    public Step<RaftState> on(RaftState state, Event event, long nowNanos) {
        if (event instanceof Event.Started started) {
            RaftState begun = started.saved()
                    .map(saved -> state.with((Saved) saved))
                    .orElse(state)
                    .heard(nowNanos);
            return Step.to(begun, electionTimer());
        }
        if (event instanceof Event.Resigned) {
            return resign(state, nowNanos);
        }
        if (event instanceof Event.TimerFired fired) {
            return onTimer(state, fired.timer(), nowNanos);
        }
        if (event instanceof Event.Received received && received.message() instanceof RaftMessage message) {
            return onMessage(state, received.from(), message, nowNanos);
        }
        return Step.to(state);
    }

    private Step<RaftState> resign(RaftState state, long nowNanos) {
        if (state.role() instanceof Follower) {
            return Step.to(state);
        }
        if (state.role() instanceof PreCandidate) {
            return Step.to(state.to(new Follower(Optional.empty())), electionTimer());
        }
        List<Effect> effects = new ArrayList<>(Group.send(group.others(), new Resigned(state.term(), group.me())));
        effects.add(new Effect.Undecided(LEADER, state.term()));
        effects.add(electionTimer());
        return state.role() instanceof Leader
                ? Step.to(free(state, nowNanos), effects)
                : Step.to(state.to(new Follower(Optional.empty())), effects);
    }

    private Step<RaftState> onTimer(RaftState state, String timer, long nowNanos) {
        boolean leading = state.role() instanceof Leader;
        if (timer.equals(ELECTION) && !leading && withholds(state, nowNanos)) {
            return Step.to(state, electionTimer());
        }
        if (timer.equals(ELECTION) && !leading) {
            return settings.preVote() ? ask(state, nowNanos) : stand(state, nowNanos);
        }
        if (timer.equals(HEARTBEAT) && leading) {
            return raftLeader.append(state, nowNanos);
        }
        if (timer.equals(LEASE) && state.role() instanceof Leader leader && nowNanos >= leader.untilNanos()) {
            return Step.to(
                    state.to(new Follower(Optional.empty())),
                    new Effect.Undecided(LEADER, state.term()),
                    electionTimer());
        }
        return Step.to(state);
    }

    private Step<RaftState> ask(RaftState state, long nowNanos) {
        if (group.majority() == 1) {
            return stand(state, nowNanos);
        }
        List<Effect> effects = new ArrayList<>(List.of(electionTimer(), new Effect.Undecided(LEADER, state.term())));
        effects.addAll(Group.send(
                group.others(), new PreVote(state.term() + 1, state.saved().last())));
        return Step.to(state.to(new PreCandidate(Set.of(group.me()))), effects);
    }

    private Step<RaftState> stand(RaftState state, long nowNanos) {
        Saved saved = new Saved(
                state.term() + 1, Optional.of(group.me()), state.saved().last());
        // Its vote for itself binds it only while it leads, for nobody else can lead by it. Where nodes often stand in
        // the same instant
        // this matters: none of those that have lost has to wait before it votes for another.
        long heardNanos = settings.replicates() ? nowNanos : state.heardNanos();
        RaftState standing = new RaftState(saved, new Candidate(Set.of(group.me()), nowNanos), heardNanos);
        List<Effect> effects = new ArrayList<>(List.of(electionTimer(), new Effect.Undecided(LEADER, saved.term())));
        if (group.majority() == 1) {
            Step<RaftState> led = raftLeader.begin(standing, nowNanos);
            effects.add(new Effect.Persist(saved, led.effects()));
            return Step.to(led.state(), effects);
        }
        RequestVote request = new RequestVote(saved.term(), saved.last());
        effects.add(new Effect.Persist(saved, Group.send(group.others(), request)));
        return Step.to(standing, effects);
    }

    private Step<RaftState> onMessage(RaftState state, int from, RaftMessage message, long nowNanos) {
        if (message instanceof PreVote preVote) {
            return Step.to(state, new Effect.Send(from, answer(state, from, preVote, nowNanos)));
        }
        if (message.term() < state.term()) {
            return older(state, from, message);
        }
        boolean withheld = message instanceof RequestVote && withholds(state, nowNanos);
        if (withheld) {
            return Step.to(state, new Effect.Send(from, new Voted(state.term(), false)));
        }
        boolean binding = !(message instanceof PreVoted reply && reply.granted());
        if (message.term() == state.term() || !binding) {
            return inTerm(state, from, message, nowNanos);
        }
        Saved saved = new Saved(message.term(), Optional.empty(), state.saved().last());
        Step<RaftState> step = inTerm(state.with(saved).to(new Follower(Optional.empty())), from, message, nowNanos);
        List<Effect> effects = new ArrayList<>();
        effects.add(new Effect.Undecided(LEADER, saved.term()));
        effects.add(electionTimer());
        effects.add(new Effect.Persist(saved, List.of()));
        effects.addAll(step.effects());
        return Step.to(step.state(), effects);
    }

    private static Step<RaftState> older(RaftState state, int from, RaftMessage message) {
        if (message instanceof RequestVote) {
            return Step.to(state, new Effect.Send(from, new Voted(state.term(), false)));
        }
        if (message instanceof Append append) {
            return Step.to(
                    state,
                    new Effect.Send(
                            from, new Appended(state.term(), state.saved().last(), append.sentNanos())));
        }
        return Step.to(state);
    }

    private Step<RaftState> inTerm(RaftState state, int from, RaftMessage message, long nowNanos) {
        if (message instanceof PreVoted reply && reply.granted() && state.role() instanceof PreCandidate asking) {
            return reply.term() == state.term() + 1 ? counted(state, asking, from, nowNanos) : Step.to(state);
        }
        if (message instanceof RequestVote request) {
            return vote(state, from, request, nowNanos);
        }
        if (message instanceof Voted reply && reply.granted() && state.role() instanceof Candidate candidate) {
            Set<Integer> votes = Suspects.with(candidate.votes(), from);
            RaftState counted = state.to(new Candidate(votes, candidate.sinceNanos()));
            return votes.size() < group.majority() ? Step.to(counted) : raftLeader.begin(counted, nowNanos);
        }
        if (message instanceof Append append) {
            return follow(state, from, append, nowNanos);
        }
        if (message instanceof Appended answer && state.role() instanceof Leader leader) {
            return raftLeader.answered(state, leader, from, answer, nowNanos);
        }
        if (message instanceof Resigned resigned && isBoundTo(state, resigned.who())) {
            return Step.to(free(state, nowNanos), new Effect.Undecided(LEADER, state.term()), electionTimer());
        }
        return Step.to(state);
    }

    /**
     * Only by its vote or by having followed: a node that withholds for another reason, perhaps for the leader of an older term, goes on
     * to. It could vote, or follow, only because nothing older bound it.
     */
    private static boolean isBoundTo(RaftState state, int who) {
        return state.role() instanceof Follower follower
                && (follower.leader().equals(Optional.of(who))
                        || (follower.leader().isEmpty() && state.saved().vote().equals(Optional.of(who))));
    }

    /** Nobody leads this term any more, and nobody believes so: it may vote at once. */
    private RaftState free(RaftState state, long nowNanos) {
        return state.to(new Follower(Optional.empty()))
                .heard(nowNanos - settings.electionMin().toNanos());
    }

    private Step<RaftState> counted(RaftState state, PreCandidate asking, int from, long nowNanos) {
        Set<Integer> votes = Suspects.with(asking.votes(), from);
        return votes.size() < group.majority() ? Step.to(state.to(new PreCandidate(votes))) : stand(state, nowNanos);
    }

    /**
     * Where nothing is replicated nodes often stand in the same instant, because a leader has resigned. Of two that ask, the lower id
     * goes first; otherwise each would vote for itself, and nobody be elected before the next timeout.
     */
    private PreVoted answer(RaftState state, int from, PreVote asked, long nowNanos) {
        boolean yields = settings.replicates() || from < group.me() || !(state.role() instanceof PreCandidate);
        boolean granted = yields
                && asked.term() > state.term()
                && asked.last().compareTo(state.saved().last()) >= 0
                && !withholds(state, nowNanos);
        return new PreVoted(granted ? asked.term() : state.term(), granted);
    }

    /** A leader has heard itself until its lease ends. */
    private boolean withholds(RaftState state, long nowNanos) {
        if (!settings.checkQuorum()) {
            return false;
        }
        if (state.role() instanceof Leader leader) {
            return nowNanos < leader.untilNanos();
        }
        return nowNanos - state.heardNanos() < settings.electionMin().toNanos();
    }

    private Step<RaftState> vote(RaftState state, int candidate, RequestVote request, long nowNanos) {
        boolean free = state.saved().vote().orElse(candidate) == candidate;
        boolean upToDate = request.last().compareTo(state.saved().last()) >= 0;
        if (!free || !upToDate || state.role() instanceof Leader) {
            return Step.to(state, new Effect.Send(candidate, new Voted(state.term(), false)));
        }
        Saved voted =
                new Saved(state.term(), Optional.of(candidate), state.saved().last());
        // Also a vote that is told a second time waits for the disk: the first may not have got there yet.
        return Step.to(
                state.with(voted).heard(nowNanos),
                electionTimer(),
                new Effect.Persist(voted, List.of(new Effect.Send(candidate, new Voted(voted.term(), true)))));
    }

    private Step<RaftState> follow(RaftState state, int leader, Append append, long nowNanos) {
        if (state.role() instanceof Leader) {
            throw new IllegalStateException("node " + leader + " leads term " + append.term() + ", and so do I");
        }
        Saved saved = state.saved().at(state.saved().last().max(append.last()));
        Appended answer = new Appended(state.term(), saved.last(), append.sentNanos());
        return Step.to(
                new RaftState(saved, new Follower(Optional.of(leader)), nowNanos),
                electionTimer(),
                new Effect.Follow(LEADER, leader, state.term()),
                settings.replicates()
                        ? new Effect.Persist(saved, List.of(new Effect.Send(leader, answer)))
                        : new Effect.Send(leader, answer));
    }

    private Effect electionTimer() {
        return new Effect.SetTimer(
                ELECTION,
                settings.electionMin().toNanos(),
                settings.electionMax().toNanos());
    }
}
