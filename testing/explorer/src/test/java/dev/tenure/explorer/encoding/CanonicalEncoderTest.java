// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.encoding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.explorer.Bounds;
import dev.tenure.explorer.ModelFault;
import dev.tenure.explorer.model.Coverage;
import dev.tenure.explorer.model.Machines;
import dev.tenure.explorer.model.ModelWorld;
import dev.tenure.explorer.step.Move;
import dev.tenure.explorer.step.Moves;
import dev.tenure.explorer.step.StepDescription;
import dev.tenure.explorer.step.Steps;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Worlds that count as one must behave as one: otherwise what follows from the second would never be seen. */
class CanonicalEncoderTest {
    private static final int WORLDS_COMPARED = 12_000;

    static Stream<Bounds> worlds() {
        Bounds any = Bounds.of("any fault", 2, 2).with(ModelFault.LATE, ModelFault.values());
        return Stream.of(any, any.queued(), Bounds.of("three nodes", 3, 1).with(ModelFault.LATE, ModelFault.values()));
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void worlds_that_are_written_alike_have_successors_that_are_written_alike(Bounds bounds) {
        Machines machines = new Machines(bounds);
        Moves moves = new Moves(bounds, machines);
        Steps steps = new Steps(bounds, machines, new Coverage());
        CanonicalEncoder canonicalEncoder = new CanonicalEncoder(bounds, machines);
        Map<ByteBuffer, Set<ByteBuffer>> successors = new HashMap<>();
        Queue<ModelWorld> frontier = new ArrayDeque<>();
        frontier.add(steps.initial());
        int compared = 0;

        while (compared < WORLDS_COMPARED) {
            ModelWorld world = frontier.remove();
            Set<ByteBuffer> next = new HashSet<>();
            boolean first = !successors.containsKey(written(canonicalEncoder, world));
            for (Move move : moves.possible(world)) {
                ModelWorld after = steps.after(world, move);
                next.add(written(canonicalEncoder, after));
                if (first) {
                    frontier.add(after);
                }
            }
            if (first) {
                successors.put(written(canonicalEncoder, world), next);
            } else {
                compared++;
                assertThat(next)
                        .as("what follows from %s", StepDescription.of(world))
                        .isEqualTo(successors.get(written(canonicalEncoder, world)));
            }
        }

        assertThat(successors).hasSizeGreaterThan(1_000);
    }

    private static ByteBuffer written(CanonicalEncoder canonicalEncoder, ModelWorld world) {
        return ByteBuffer.wrap(canonicalEncoder.of(world));
    }

    @Test
    void the_states_of_the_machines_are_known_component_by_component() {
        StateEncoders.requireKnown();

        assertThat(StateEncoders.componentsOf(ModelWorld.History.class))
                .isEqualTo("issued faults keptItsWord restored");
    }
}
