// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab;

import dev.tenure.algorithms.Algorithm;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.Machine;
import dev.tenure.algorithms.bully.Bully;
import dev.tenure.algorithms.bully.BullySettings;
import dev.tenure.algorithms.paxos.Paxos;
import dev.tenure.algorithms.paxos.PaxosSettings;
import dev.tenure.algorithms.quorum.Quorum;
import dev.tenure.algorithms.quorum.QuorumSettings;
import dev.tenure.algorithms.raft.Raft;
import dev.tenure.algorithms.raft.RaftSettings;
import dev.tenure.algorithms.ring.ChangRoberts;
import dev.tenure.algorithms.ring.HirschbergSinclair;
import dev.tenure.algorithms.ring.RingList;
import dev.tenure.algorithms.ring.RingSettings;
import dev.tenure.algorithms.sticky.Sticky;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * An algorithm with its settings.
 *
 * @param lease only for Raft
 */
public record AlgorithmConfig(Algorithm algorithm, Style style, Optional<Duration> lease) {
    private static final int RESOURCES = 12;

    /** With what has been added to an algorithm since its paper, or without. */
    public enum Style {
        /** Rings are repaired, Raft has pre-vote and check-quorum, Paxos backs off. */
        CURED,
        PLAIN,
        /** Raft without a log, as groups run it that elect somebody and replicate nothing. Otherwise cured. */
        WITHOUT_LOG
    }

    public static AlgorithmConfig of(Algorithm algorithm) {
        return new AlgorithmConfig(algorithm, Style.CURED, Optional.empty());
    }

    public AlgorithmConfig plain() {
        return new AlgorithmConfig(algorithm, Style.PLAIN, lease);
    }

    public AlgorithmConfig leasing(Duration time) {
        return new AlgorithmConfig(algorithm, style, Optional.of(time));
    }

    public AlgorithmConfig withoutLog() {
        return new AlgorithmConfig(algorithm, Style.WITHOUT_LOG, lease);
    }

    /** Does its leader's lease end before anybody else can be elected? */
    public boolean isExclusive() {
        return algorithm == Algorithm.RAFT
                && style != Style.PLAIN
                && lease.filter(time -> time.compareTo(RaftSettings.lab().electionMin()) < 0)
                        .isPresent();
    }

    /** Raft with a lease that ends before anybody else can be elected. */
    public static AlgorithmConfig exclusiveRaft() {
        return of(Algorithm.RAFT).leasing(RaftSettings.lab().exclusive().lease());
    }

    public Machine<?> machine(Group group) {
        return switch (algorithm) {
            case BULLY -> new Bully(group, BullySettings.lab());
            case RING -> new RingList(group, ring());
            case CHANG_ROBERTS -> new ChangRoberts(group, ring());
            case HIRSCHBERG_SINCLAIR -> new HirschbergSinclair(group, ring());
            case QUORUM -> new Quorum(group, QuorumSettings.lab());
            case RAFT -> new Raft(group, raft());
            case PAXOS -> new Paxos(group, paxos());
            case STICKY -> new Sticky(group, resources());
        };
    }

    /** What the sticky algorithm gives out. */
    public static List<String> resources() {
        return IntStream.rangeClosed(1, RESOURCES).mapToObj(i -> "r" + i).toList();
    }

    private RingSettings ring() {
        RingSettings settings = RingSettings.lab();
        return style == Style.PLAIN ? settings.repairing(RingSettings.Repair.NONE) : settings;
    }

    private RaftSettings raft() {
        RaftSettings settings = lease.map(RaftSettings.lab()::leasing).orElse(RaftSettings.lab());
        return switch (style) {
            case CURED -> settings;
            case PLAIN -> settings.plain();
            case WITHOUT_LOG -> settings.withoutLog();
        };
    }

    private PaxosSettings paxos() {
        PaxosSettings settings = PaxosSettings.lab();
        return style == Style.PLAIN ? settings.with(PaxosSettings.Duels.FIGHT) : settings;
    }
}
