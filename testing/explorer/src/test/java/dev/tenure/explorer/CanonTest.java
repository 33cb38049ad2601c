package dev.tenure.explorer;

import static org.assertj.core.api.Assertions.assertThat;

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
class CanonTest {
    private static final int WORLDS_COMPARED = 12_000;

    static Stream<Bounds> worlds() {
        Bounds any = Bounds.of("any fault", 2, 2).with(Fault.LATE, Fault.values());
        return Stream.of(any, any.queued(), Bounds.of("three nodes", 3, 1).with(Fault.LATE, Fault.values()));
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void worlds_that_are_written_alike_have_successors_that_are_written_alike(Bounds bounds) {
        Machines machines = new Machines(bounds);
        Moves moves = new Moves(bounds, machines);
        Steps steps = new Steps(bounds, machines, new Coverage());
        Canon canon = new Canon(bounds, machines);
        Map<ByteBuffer, Set<ByteBuffer>> successors = new HashMap<>();
        Queue<World> frontier = new ArrayDeque<>();
        frontier.add(steps.initial());
        int compared = 0;

        while (compared < WORLDS_COMPARED) {
            World world = frontier.remove();
            Set<ByteBuffer> next = new HashSet<>();
            boolean first = !successors.containsKey(written(canon, world));
            for (Move move : moves.possible(world)) {
                World after = steps.after(world, move);
                next.add(written(canon, after));
                if (first) {
                    frontier.add(after);
                }
            }
            if (first) {
                successors.put(written(canon, world), next);
            } else {
                compared++;
                assertThat(next)
                        .as("what follows from %s", Telling.of(world))
                        .isEqualTo(successors.get(written(canon, world)));
            }
        }

        assertThat(successors).hasSizeGreaterThan(1_000);
    }

    private static ByteBuffer written(Canon canon, World world) {
        return ByteBuffer.wrap(canon.of(world));
    }

    @Test
    void the_states_of_the_machines_are_known_component_by_component() {
        Shapes.requireKnown();

        assertThat(Shapes.componentsOf(World.History.class)).isEqualTo("issued faults keptItsWord restored");
    }
}
