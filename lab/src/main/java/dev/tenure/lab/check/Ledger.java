package dev.tenure.lab.check;

import dev.tenure.algorithms.paxos.PaxosState;
import dev.tenure.algorithms.raft.LogPosition;
import dev.tenure.algorithms.raft.RaftState;
import dev.tenure.lab.world.Observer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What must hold of the states, at every step of every node. Keeps the first thing that did not. */
final class Ledger implements Observer {
    private final Map<Long, Integer> leaderOfTerm = new HashMap<>();
    private final Map<Long, Integer> decidedFor = new HashMap<>();
    private LogPosition committed = LogPosition.EMPTY;
    private Optional<String> broken = Optional.empty();

    Optional<String> broken() {
        return broken;
    }

    @Override
    public void stepped(int node, Object state) {
        if (state instanceof RaftState raft && raft.role() instanceof RaftState.Leader leader) {
            onLeader(node, raft, leader);
        } else if (state instanceof PaxosState paxos && paxos.saved().epoch() > 0) {
            onDecision(node, paxos.saved());
        }
    }

    private void onLeader(int node, RaftState raft, RaftState.Leader leader) {
        boolean begins = leaderOfTerm.put(raft.term(), node) == null;
        if (begins && raft.saved().last().compareTo(committed) < 0) {
            complain("node " + node + " leads term " + raft.term() + " with a log up to "
                    + raft.saved().last() + ", and a majority had " + committed);
        }
        if (leader.committed().compareTo(committed) > 0) {
            committed = leader.committed();
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
