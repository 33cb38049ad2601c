// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.raft;

import static dev.tenure.algorithms.Effect.FOREVER;
import static dev.tenure.algorithms.Effect.LEADER;

import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.Step;
import dev.tenure.algorithms.raft.RaftMessage.Append;
import dev.tenure.algorithms.raft.RaftMessage.Appended;
import dev.tenure.algorithms.raft.RaftState.Answer;
import dev.tenure.algorithms.raft.RaftState.Candidate;
import dev.tenure.algorithms.raft.RaftState.Leader;
import dev.tenure.algorithms.raft.RaftState.Saved;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The leader's part of {@link Raft}: its heartbeats, its log, its lease. */
final class RaftLeader {
    private final Group group;
    private final RaftSettings settings;
    private final String heartbeatTimer;
    private final String leaseTimer;

    RaftLeader(Group group, RaftSettings settings, String heartbeatTimer, String leaseTimer) {
        this.group = group;
        this.settings = settings;
        this.heartbeatTimer = heartbeatTimer;
        this.leaseTimer = leaseTimer;
    }

    /** The voters withhold further votes since they gave theirs, which was after it stood: so the lease counts from there. */
    Step<RaftState> begin(RaftState state, long nowNanos) {
        if (!(state.role() instanceof Candidate candidate)) {
            throw new IllegalStateException("elected as " + state.role());
        }
        long untilNanos = settings.checkQuorum() && group.majority() > 1
                ? candidate.sinceNanos() + settings.lease().toNanos()
                : FOREVER;
        RaftState leading = state.to(new Leader(Map.of(), untilNanos, LogPosition.EMPTY));
        List<Effect> effects = new ArrayList<>(lease(leading.term(), untilNanos, nowNanos));
        Step<RaftState> first = append(leading, nowNanos);
        effects.addAll(first.effects());
        return Step.to(first.state(), effects);
    }

    /** Writes an entry and tells all. An answer can only come after the entry was on this node's disk, too. */
    Step<RaftState> append(RaftState state, long nowNanos) {
        if (!settings.replicates()) {
            List<Effect> effects = new ArrayList<>();
            effects.add(
                    Effect.SetTimer.exactly(heartbeatTimer, settings.heartbeat().toNanos()));
            effects.addAll(Group.send(group.others(), new Append(state.term(), LogPosition.EMPTY, nowNanos)));
            return Step.to(state, effects);
        }
        LogPosition next = new LogPosition(state.term(), state.saved().last().index() + 1);
        Saved saved = state.saved().at(next);
        return Step.to(
                state.with(saved),
                Effect.SetTimer.exactly(heartbeatTimer, settings.heartbeat().toNanos()),
                new Effect.Persist(saved, Group.send(group.others(), new Append(state.term(), next, nowNanos))));
    }

    Step<RaftState> answered(RaftState state, Leader leader, int from, Appended answer, long nowNanos) {
        Map<Integer, Answer> answers = new TreeMap<>(leader.answers());
        answers.merge(
                from,
                new Answer(answer.last(), answer.sentNanos()),
                (old, fresh) -> fresh.sentNanos() > old.sentNanos() ? fresh : old);
        LogPosition committed = heldByMajority(answers, state.term());
        if (!settings.checkQuorum()) {
            return Step.to(state.to(new Leader(answers, FOREVER, committed.max(leader.committed()))));
        }
        long untilNanos = leader.untilNanos();
        if (answers.size() + 1 >= group.majority()) {
            untilNanos = Math.max(
                    untilNanos, sentByMajority(answers) + settings.lease().toNanos());
        }
        RaftState next = state.to(new Leader(answers, untilNanos, committed.max(leader.committed())));
        return untilNanos == leader.untilNanos()
                ? Step.to(next)
                : Step.to(next, lease(state.term(), untilNanos, nowNanos));
    }

    private long sentByMajority(Map<Integer, Answer> answers) {
        return answers.values().stream()
                .map(Answer::sentNanos)
                .sorted(Comparator.reverseOrder())
                .skip(group.majority() - 2L)
                .findFirst()
                .orElseThrow();
    }

    /** The newest position that a majority has, this node included; positions of older terms do not count. */
    private LogPosition heldByMajority(Map<Integer, Answer> answers, long term) {
        return answers.values().stream()
                .map(Answer::last)
                .sorted(Comparator.reverseOrder())
                .skip(group.majority() - 2L)
                .findFirst()
                .filter(last -> last.term() == term)
                .orElse(LogPosition.EMPTY);
    }

    private List<Effect> lease(long term, long untilNanos, long nowNanos) {
        Effect lead = new Effect.Lead(LEADER, term, untilNanos);
        return untilNanos == FOREVER
                ? List.of(lead)
                : List.of(lead, Effect.SetTimer.exactly(leaseTimer, Math.max(0, untilNanos - nowNanos)));
    }
}
