// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.check;

import dev.tenure.algorithms.paxos.PaxosState;
import dev.tenure.algorithms.raft.LogPosition;
import dev.tenure.algorithms.raft.RaftState;
import dev.tenure.lab.world.Observer;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** What must hold of the states, at every step of every node. Keeps the first thing that did not. */
final class StateInvariants implements Observer {
    private final Map<Long, Integer> leaderOfTerm = new HashMap<>();
    private final Map<Long, Integer> decidedFor = new HashMap<>();
    private final Map<Integer, LogPosition> endOfLog = new HashMap<>();
    private final NavigableMap<Long, LogPosition> committed = new TreeMap<>();
    private Optional<String> broken = Optional.empty();

    Optional<String> broken() {
        return broken;
    }

    @Override
    public void stepped(int node, Object state) {
        if (state instanceof RaftState raft) {
            if (raft.role() instanceof RaftState.Leader leader) {
                onLeader(node, raft, leader);
            }
            endOfLog.put(node, raft.saved().last());
        } else if (state instanceof PaxosState paxos && paxos.saved().epoch() > 0) {
            onDecision(node, paxos.saved());
        }
    }

    private void onLeader(int node, RaftState raft, RaftState.Leader leader) {
        boolean begins = leaderOfTerm.put(raft.term(), node) == null;
        if (begins) {
            Map.Entry<Long, LogPosition> owed = committed.lowerEntry(raft.term());
            // Its state already has an entry of its own term, written with its first step as a leader: what counts is
            // the log before. What later terms have committed it need not have: votes may arrive late.
            LogPosition had = endOfLog.getOrDefault(node, LogPosition.EMPTY);
            if (owed != null && had.compareTo(owed.getValue()) < 0) {
                complain("node " + node + " leads term " + raft.term() + " with a log up to " + had
                        + ", and a majority had " + owed.getValue());
            }
        }
        if (leader.committed().compareTo(LogPosition.EMPTY) > 0) {
            committed.put(leader.committed().term(), leader.committed());
        }
    }

    private void onDecision(int node, PaxosState.Saved saved) {
        Integer before = decidedFor.putIfAbsent(saved.epoch(), saved.leader());
        if (before != null && before != saved.leader()) {
            complain("node " + node + " holds that " + saved.leader() + " leads epoch " + saved.epoch()
                    + ", and another one that " + before + " does");
        }
    }

    private void complain(String sentence) {
        if (broken.isEmpty()) {
            broken = Optional.of(sentence);
        }
    }
}
