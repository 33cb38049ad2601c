// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.algorithms.Algorithm;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** A check that finds no planted bug proves nothing. */
@Tag("all")
final class MutantsTest {
    private static final long SEEDS = 3000;

    static final List<Mutant> MUTANTS = List.of(
            new Mutant(
                    "bully: the highest id is ignored",
                    Algorithm.BULLY,
                    "bully/Bully.java",
                    "return from > group.me() ? follow(state, from) : refuse(state);",
                    "return follow(state, from);"),
            new Mutant(
                    "bully: a leader does not greet those who come back",
                    Algorithm.BULLY,
                    "bully/Bully.java",
                    "if (state.standing() instanceof Leading) {\n            effects.add(new Effect.Send(from, new Coordinator()));",
                    "if (state.standing() instanceof Leading) {"),
            new Mutant(
                    "bully: an overtaken coordinator is followed",
                    Algorithm.BULLY,
                    "bully/Bully.java",
                    "&& now.leader() > leader",
                    "&& now.leader() > 1000"),
            new Mutant(
                    "ring: the lowest id of the list leads",
                    Algorithm.RING,
                    "ring/RingList.java",
                    "Collections.max(roll.ids())",
                    "Collections.min(roll.ids())"),
            new Mutant(
                    "ring: an election that got lost is not held again",
                    Algorithm.RING,
                    "ring/RingMachine.java",
                    "fired.timer().equals(RETRY) && state.isBusy()",
                    "fired.timer().equals(\"\") && state.isBusy()"),
            new Mutant(
                    "chang-roberts: the dead are not skipped",
                    Algorithm.CHANG_ROBERTS,
                    "ring/RingMachine.java",
                    "return repairs() ? state.suspected() : Suspects.NONE;",
                    "return Suspects.NONE;"),
            new Mutant(
                    "chang-roberts: a lower bid passes",
                    Algorithm.CHANG_ROBERTS,
                    "ring/ChangRoberts.java",
                    "if (bid.id() > group.me()) {",
                    "if (bid.id() != group.me()) {"),
            new Mutant(
                    "hirschberg-sinclair: a lower probe passes",
                    Algorithm.HIRSCHBERG_SINCLAIR,
                    "ring/HirschbergSinclair.java",
                    "if (probe.id() > group.me()) {",
                    "if (probe.id() != group.me()) {"),
            new Mutant(
                    "quorum: votes twice in a term",
                    Algorithm.QUORUM,
                    "quorum/Quorum.java",
                    "state.ballot().vote().orElse(candidate) != candidate",
                    "state.ballot().term() < 0"),
            new Mutant(
                    "quorum: one vote less than a majority is enough",
                    Algorithm.QUORUM,
                    "quorum/Quorum.java",
                    "return votes.size() < group.majority() ?",
                    "return votes.size() < group.majority() - 1 ?"),
            new Mutant(
                    "quorum: the vote is not durable",
                    Algorithm.QUORUM,
                    "quorum/Quorum.java",
                    "new Effect.Persist(voted, List.of(new Effect.Send(candidate, new Vote(term))))",
                    "new Effect.Send(candidate, new Vote(term))"),
            new Mutant(
                    "quorum: votes of older terms count",
                    Algorithm.QUORUM,
                    "quorum/Quorum.java",
                    "if (message.term() < mine) {",
                    "if (message.term() < mine && message instanceof Vote) return inTerm(before, from, message);\n        if (message.term() < mine) {"),
            new Mutant(
                    "raft: votes twice in a term",
                    Algorithm.RAFT,
                    "raft/Raft.java",
                    "boolean free = state.saved().vote().orElse(candidate) == candidate;",
                    "boolean free = candidate > 0;"),
            new Mutant(
                    "raft: the vote is not durable",
                    Algorithm.RAFT,
                    "raft/Raft.java",
                    "new Effect.Persist(voted, List.of(new Effect.Send(candidate, new Voted(voted.term(), true))))",
                    "new Effect.Send(candidate, new Voted(voted.term(), true))"),
            new Mutant(
                    "raft: older terms are not refused",
                    Algorithm.RAFT,
                    "raft/Raft.java",
                    "if (message.term() < state.term()) {",
                    "if (message.term() < 0) {"),
            new Mutant(
                    "raft: logs are not compared",
                    Algorithm.RAFT,
                    "raft/Raft.java",
                    "boolean upToDate = request.last().compareTo(state.saved().last()) >= 0;",
                    "boolean upToDate = true;"),
            new Mutant(
                    "raft: votes are not withheld",
                    Algorithm.RAFT,
                    "raft/Raft.java",
                    "return nowNanos - state.heardNanos() < settings.electionMin().toNanos();",
                    "return false;"),
            new Mutant(
                    "raft: the lease counts from the answer",
                    Algorithm.RAFT,
                    "raft/RaftLeader.java",
                    "sentByMajority(answers) + settings",
                    "nowNanos + settings"),
            new Mutant(
                    "paxos: what was accepted before is not proposed again",
                    Algorithm.PAXOS,
                    "paxos/Paxos.java",
                    ".flatMap(Optional::stream)",
                    ".flatMap(any -> java.util.stream.Stream.<Proposal>empty())"),
            new Mutant(
                    "paxos: a promise is not kept",
                    Algorithm.PAXOS,
                    "paxos/Acceptor.java",
                    "if (ballot.compareTo(state.saved().promised()) < 0) {",
                    "if (ballot.round() < 0) {"),
            new Mutant(
                    "paxos: what was accepted is not durable",
                    Algorithm.PAXOS,
                    "paxos/Acceptor.java",
                    "new Effect.Persist(accepted, List.of(new Effect.Send(from, answer)))",
                    "new Effect.Send(from, answer)"),
            new Mutant(
                    "sticky: the dead own resources",
                    Algorithm.STICKY,
                    "sticky/Sticky.java",
                    ".filter(id -> !state.suspected().contains(id))",
                    ".filter(id -> id > 0)"));

    @TempDir
    Path work;

    @ParameterizedTest
    @FieldSource("MUTANTS")
    void a_planted_bug_is_found(Mutant mutant) throws Exception {
        Optional<String> complaint = new MutantLab(work).hunt(mutant, SEEDS);

        assertThat(complaint)
                .as("complaint about '%s' within %d seeds", mutant, SEEDS)
                .isPresent();
        System.out.println("found: " + mutant + ": " + complaint.get());
    }

    @Test
    void without_a_bug_nothing_is_found() throws Exception {
        Mutant harmless = new Mutant(
                "harmless", Algorithm.RAFT, "raft/Raft.java", "HEARTBEAT = \"heartbeat\"", "HEARTBEAT = \"beat\"");

        assertThat(new MutantLab(work).hunt(harmless, 50)).isEmpty();
    }
}
