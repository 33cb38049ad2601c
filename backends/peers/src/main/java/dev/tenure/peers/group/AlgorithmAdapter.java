// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers.group;

import dev.tenure.algorithms.Algorithm;
import dev.tenure.algorithms.Durable;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Event;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.Machine;
import dev.tenure.algorithms.Message;
import dev.tenure.algorithms.Step;
import dev.tenure.algorithms.bully.Bully;
import dev.tenure.algorithms.bully.BullySettings;
import dev.tenure.algorithms.quorum.LeaseMessage;
import dev.tenure.algorithms.quorum.LeasedQuorum;
import dev.tenure.algorithms.quorum.QuorumMessage;
import dev.tenure.algorithms.quorum.QuorumSettings;
import dev.tenure.algorithms.quorum.QuorumState.Ballot;
import dev.tenure.algorithms.raft.LogPosition;
import dev.tenure.algorithms.raft.Raft;
import dev.tenure.algorithms.raft.RaftMessage;
import dev.tenure.algorithms.raft.RaftSettings;
import dev.tenure.algorithms.raft.RaftState;
import dev.tenure.algorithms.ring.ChangRoberts;
import dev.tenure.algorithms.ring.RingList;
import dev.tenure.algorithms.ring.RingSettings;
import dev.tenure.peers.group.PeersSettings.TimingProfile;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What is particular to each algorithm that a group can use. */
public enum AlgorithmAdapter {
    RAFT(Algorithm.RAFT, "election", "heartbeat"),
    QUORUM(Algorithm.QUORUM, LeasedQuorum.STAND, LeasedQuorum.KEEP),
    BULLY(Algorithm.BULLY, "", ""),
    RING(Algorithm.RING, "", ""),
    CHANG_ROBERTS(Algorithm.CHANG_ROBERTS, "", "");

    private static final int ANSWERS_PER_TIMEOUT = 3;

    private final Algorithm algorithm;
    private final String campaignTimer;
    private final String beatTimer;

    AlgorithmAdapter(Algorithm algorithm, String campaignTimer, String beatTimer) {
        this.algorithm = algorithm;
        this.campaignTimer = campaignTimer;
        this.beatTimer = beatTimer;
    }

    public static Optional<AlgorithmAdapter> named(String name) {
        return Stream.of(values())
                .filter(rules -> rules.spelling().equals(name))
                .findFirst();
    }

    public String spelling() {
        return algorithm.spelling();
    }

    /** Terms that are voted on by a majority, durably, and a leader's lease; the others promise nothing of the kind. */
    public boolean hasTerms() {
        return algorithm.hasTerms();
    }

    /** The timer by which a member that wants to lead begins to stand; it never fires at one that only votes. */
    public String campaignTimer() {
        return campaignTimer;
    }

    /** The timer by which a leader asks a majority whether it still leads. */
    public String beatTimer() {
        return beatTimer;
    }

    /** A machine with its state: the one thing about it that changes. */
    public static final class Running<S> {
        private final Machine<S> machine;
        private S state;

        public Running(Machine<S> machine) {
            this.machine = machine;
            this.state = machine.initial();
        }

        public List<Effect> on(Event event, long nowNanos) {
            Step<S> step = machine.on(state, event, nowNanos);
            state = step.state();
            return step.effects();
        }
    }

    public Running<?> machine(Group group, TimingProfile profile) {
        Duration answer = profile.electionMin().dividedBy(ANSWERS_PER_TIMEOUT);
        RingSettings ring = new RingSettings(answer, RingSettings.Repair.AROUND_THE_DEAD);
        return switch (this) {
            case RAFT -> new Running<>(new Raft(group, raft(profile)));
            case QUORUM -> new Running<>(new LeasedQuorum(group, quorum(profile), profile.lease()));
            case BULLY -> new Running<>(new Bully(group, new BullySettings(answer, profile.electionMin())));
            case RING -> new Running<>(new RingList(group, ring));
            case CHANG_ROBERTS -> new Running<>(new ChangRoberts(group, ring));
        };
    }

    private static RaftSettings raft(TimingProfile profile) {
        return new RaftSettings(
                profile.heartbeat(), profile.electionMin(), profile.electionMax(), profile.lease(), true, true, false);
    }

    private static QuorumSettings quorum(TimingProfile profile) {
        return new QuorumSettings(profile.heartbeat(), profile.electionMin(), profile.electionMax());
    }

    /**
     * Does this say that nobody leads, or refuse this member's own wish to? Then the next try is not put off for as long as for a leader.
     * After a resignation another member may go first; this one stands if that one does not come.
     */
    public static boolean isAboutNobody(Message message) {
        return isResignation(message)
                || message instanceof RaftMessage.PreVoted
                || message instanceof RaftMessage.Voted
                || message instanceof QuorumMessage.Refuse;
    }

    /** Its sender leads, or stands, no longer. */
    public static boolean isResignation(Message message) {
        return message instanceof RaftMessage.Resigned || message instanceof LeaseMessage.Left;
    }

    /** Does this serve to be elected, or to lead? */
    public static boolean isBid(Effect effect) {
        return effect instanceof Effect.Lead
                || (effect instanceof Effect.Send send
                        && (send.message() instanceof RaftMessage.RequestVote
                                || send.message() instanceof QuorumMessage.Stand));
    }

    public Durable restored(Ballot ballot) {
        return this == RAFT ? new RaftState.Saved(ballot.term(), ballot.vote(), LogPosition.EMPTY) : ballot;
    }

    public static Ballot ballot(Durable durable) {
        return durable instanceof RaftState.Saved saved ? new Ballot(saved.term(), saved.vote()) : (Ballot) durable;
    }
}
