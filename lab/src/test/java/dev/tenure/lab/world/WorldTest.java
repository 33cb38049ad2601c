// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.algorithms.Algorithm;
import dev.tenure.algorithms.Effect;
import dev.tenure.lab.AlgorithmConfig;
import dev.tenure.lab.Experiment;
import dev.tenure.lab.fault.Fault;
import dev.tenure.lab.fault.FaultText;
import dev.tenure.lab.trace.Belief;
import dev.tenure.lab.trace.MessageTrace;
import dev.tenure.lab.trace.Overlap;
import dev.tenure.lab.trace.Trace;
import dev.tenure.lab.trace.TraceData;
import dev.tenure.lab.trace.TraceEvent;
import dev.tenure.lab.trace.TraceText;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class WorldTest {
    private static final long MILLI = 1_000_000;

    private static Trace run(Algorithm algorithm, int nodes, String... faults) {
        return World.run(experiment(AlgorithmConfig.of(algorithm), nodes, faults));
    }

    private static Experiment experiment(AlgorithmConfig config, int nodes, String... faults) {
        List<Fault> parsed =
                Stream.of(faults).map(text -> FaultText.parse(text, nodes)).toList();
        return Experiment.of(config, nodes, 4).with(parsed);
    }

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void the_same_seed_gives_the_same_trace_and_another_one_does_not(Algorithm algorithm) {
        Experiment experiment = experiment(AlgorithmConfig.of(algorithm), 5, "lossy *~*:20%@0s..3s", "crash leader@1s");
        Experiment other = reseeded(experiment, experiment.seed() + 1);

        Map<String, Object> once = TraceData.of(experiment, World.run(experiment));
        Map<String, Object> again = TraceData.of(experiment, World.run(experiment));

        assertThat(again).isEqualTo(once);
        assertThat(TraceData.of(experiment, World.run(other)).get("messages")).isNotEqualTo(once.get("messages"));
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "STICKY")
    void a_crashed_leader_is_replaced_and_everybody_knows_the_new_one(Algorithm algorithm) {
        Trace trace = run(algorithm, 5, "crash leader@1s");

        Map<Integer, Integer> last = trace.lastBeliefs(Effect.LEADER);
        assertThat(last).hasSize(4);
        assertThat(last.values()).containsOnly(last.values().iterator().next());
        assertThat(last).containsKey(last.values().iterator().next());
    }

    @Test
    void a_node_that_is_down_receives_nothing_and_believes_nothing() {
        Trace trace = run(Algorithm.BULLY, 3, "crash 3@1s");

        assertThat(trace.messageTraces())
                .filteredOn(messageTrace -> messageTrace.to() == 3 && messageTrace.sentNanos() > 1_000 * MILLI)
                .isNotEmpty()
                .allMatch(messageTrace -> messageTrace.arrivedNanos().isEmpty());
        assertThat(trace.beliefs())
                .filteredOn(belief -> belief.node() == 3)
                .extracting(Belief::toNanos)
                .allMatch(end -> end <= 1_000 * MILLI);
    }

    @Test
    void what_is_sent_to_a_paused_node_waits_for_it() {
        Trace trace = run(Algorithm.QUORUM, 3, "pause 2@1s..2s");

        assertThat(trace.messageTraces())
                .filteredOn(messageTrace -> messageTrace.from() == 2)
                .extracting(MessageTrace::sentNanos)
                .noneMatch(sent -> sent > 1_000 * MILLI && sent < 2_000 * MILLI);
        assertThat(trace.events())
                .filteredOn(event -> event.node() == 2 && event.kind() == TraceEvent.Kind.RESUME)
                .hasSize(1);
    }

    @Test
    void a_one_way_partition_cuts_one_direction_only() {
        Trace trace = run(Algorithm.RAFT, 3, "one-way 1>*@1s..2s");

        assertThat(trace.messageTraces())
                .filteredOn(messageTrace -> messageTrace.fate().equals("cut"))
                .isNotEmpty()
                .allMatch(messageTrace -> messageTrace.from() == 1)
                .allMatch(messageTrace ->
                        messageTrace.sentNanos() >= 1_000 * MILLI && messageTrace.sentNanos() < 2_000 * MILLI);
    }

    @Test
    void a_lossy_link_loses_some_and_a_slow_one_is_late() {
        Trace lossy = run(Algorithm.QUORUM, 3, "lossy 1~2:50%@0s..5s");
        Trace slow = run(Algorithm.QUORUM, 3, "slow 1~2:300ms@0s..5s");

        assertThat(lossy.messageTraces())
                .anyMatch(messageTrace -> messageTrace.fate().equals("lost"));
        assertThat(slow.messageTraces())
                .filteredOn(messageTrace -> messageTrace.arrivedNanos().isPresent())
                .anyMatch(messageTrace ->
                        messageTrace.arrivedNanos().getAsLong() - messageTrace.sentNanos() > 100 * MILLI);
    }

    @Test
    void a_slow_disk_delays_the_vote_that_waits_for_it() {
        Trace slow = run(Algorithm.QUORUM, 3, "slow-disk 1:300ms@0s..5s");
        Trace fast = run(Algorithm.QUORUM, 3);

        assertThat(waitOf(1, slow)).isGreaterThan(2 * waitOf(1, fast));
    }

    /** How long, from the first request that reached it to its first vote. */
    private static long waitOf(int node, Trace trace) {
        long asked = trace.messageTraces().stream()
                .filter(messageTrace -> messageTrace.to() == node
                        && TraceText.text(messageTrace.message()).startsWith("Stand"))
                .mapToLong(messageTrace -> messageTrace.arrivedNanos().orElseThrow())
                .min()
                .orElseThrow();
        long voted = trace.messageTraces().stream()
                .filter(messageTrace -> messageTrace.from() == node
                        && TraceText.text(messageTrace.message()).startsWith("Vote"))
                .mapToLong(MessageTrace::sentNanos)
                .min()
                .orElseThrow();
        return voted - asked;
    }

    @Test
    void a_fragile_node_crashes_when_it_has_spoken_and_is_back_with_what_was_on_its_disk() {
        Trace trace = run(Algorithm.QUORUM, 3, "fragile 1:20ms@0s..2s");

        List<TraceEvent> crashes = trace.events().stream()
                .filter(event -> event.kind() == TraceEvent.Kind.CRASH)
                .toList();
        assertThat(crashes).isNotEmpty().allMatch(crash -> crash.node() == 1);
        assertThat(crashes)
                .allMatch(crash -> trace.messageTraces().stream()
                        .anyMatch(
                                messageTrace -> messageTrace.from() == 1 && messageTrace.sentNanos() == crash.nanos()))
                .allMatch(crash -> trace.events().stream()
                        .anyMatch(event ->
                                event.kind() == TraceEvent.Kind.START && event.nanos() == crash.nanos() + 20 * MILLI));
    }

    @Test
    void a_flapping_link_is_cut_and_whole_in_turn() {
        Trace trace = run(Algorithm.RAFT, 3, "flap 1~2:200ms@1s..2s");

        assertThat(trace.events())
                .filteredOn(event -> event.kind() == TraceEvent.Kind.NETWORK)
                .extracting(TraceEvent::nanos)
                .containsExactly(
                        1_000 * MILLI, 1_200 * MILLI, 1_400 * MILLI, 1_600 * MILLI, 1_800 * MILLI, 2_000 * MILLI);
    }

    @Test
    void a_lease_ends_the_belief_of_a_paused_leader_while_it_sleeps() {
        Trace trace = run(Algorithm.RAFT, 3, "pause leader@1s..4s");

        assertThat(trace.beliefs())
                .filteredOn(belief -> belief.isOwn() && belief.fromNanos() < 1_000 * MILLI)
                .hasSize(1)
                .allMatch(belief -> belief.toNanos() <= 2_100 * MILLI);
    }

    @Test
    void a_lease_longer_than_the_election_timeout_lets_belief_overlap_and_a_shorter_one_does_not() {
        Trace longer = run(Algorithm.RAFT, 5, "partition leader|*@1s..3s");
        Trace shorter = World.run(experiment(AlgorithmConfig.exclusiveRaft(), 5, "partition leader|*@1s..3s"));

        assertThat(longer.overlaps()).hasSize(1).allMatch(each -> each.nanos() < 1_000 * MILLI);
        assertThat(shorter.overlaps()).isEmpty();
        assertThat(shorter.leadersByTerm().size()).isGreaterThan(1);
    }

    @Test
    void a_ring_without_repair_carries_nothing_past_a_dead_node_and_with_repair_it_does() {
        Trace plain =
                World.run(experiment(AlgorithmConfig.of(Algorithm.CHANG_ROBERTS).plain(), 5, "crash 5@1s"));
        Trace repaired = run(Algorithm.CHANG_ROBERTS, 5, "crash 5@1s");

        assertThat(plain.lastBeliefs(Effect.LEADER).values()).containsOnly(0);
        assertThat(repaired.lastBeliefs(Effect.LEADER).values()).containsOnly(4);
    }

    @Test
    void duelling_proposers_need_more_messages_than_those_that_back_off() {
        String crowd = "slow *~*:40ms@0s..5s";
        long duels = 0;
        long backOffs = 0;
        for (long seed = 1; seed <= 40; seed++) {
            Experiment fight = experiment(AlgorithmConfig.of(Algorithm.PAXOS).plain(), 5, crowd);
            Experiment yield = experiment(AlgorithmConfig.of(Algorithm.PAXOS), 5, crowd);
            duels += World.runUntilSettled(reseeded(fight, seed)).messages();
            backOffs += World.runUntilSettled(reseeded(yield, seed)).messages();
        }

        assertThat(duels).isGreaterThan(backOffs);
    }

    private static Experiment reseeded(Experiment experiment, long seed) {
        return Experiment.of(experiment.config(), experiment.nodes(), seed).with(experiment.faults());
    }

    @Test
    void overlaps_are_the_times_in_which_two_lead_the_same_role() {
        Trace trace = run(Algorithm.BULLY, 5, "partition 1,2|3-5@1s..3s");

        assertThat(trace.overlaps()).isNotEmpty();
        for (Overlap overlap : trace.overlaps()) {
            assertThat(overlap.fromNanos()).isBetween(1_000 * MILLI, 3_100 * MILLI);
            assertThat(overlap.one().node()).isNotEqualTo(overlap.other().node());
        }
    }
}
