// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.internal.engine.ElectionState;
import dev.tenure.internal.engine.SessionState;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The standard worlds are explored once, and must be clean, whole, and large enough to mean something. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExplorerTest {
    private List<Exploration> explored = List.of();

    @BeforeAll
    void explore() {
        explored = Bounds.standard().parallelStream()
                .map(bounds -> Explorer.run(bounds, System::nanoTime))
                .toList();
        explored.forEach(System.out::println);
    }

    @Test
    void no_property_is_broken_in_any_state_of_the_standard_worlds() {
        assertThat(explored)
                .allSatisfy(each -> assertThat(each.counterExample()).isEmpty());
    }

    @Test
    void every_state_within_the_bounds_was_visited() {
        assertThat(explored).allSatisfy(each -> assertThat(each.whole()).isTrue());
    }

    @Test
    void the_worlds_are_large_enough_to_mean_something() {
        long states = explored.stream().mapToLong(each -> each.size().states()).sum();

        assertThat(states).isGreaterThan(500_000);
        assertThat(explored).allSatisfy(each -> {
            assertThat(each.size().states()).isGreaterThan(10_000);
            assertThat(each.size().transitions()).isGreaterThan(3L * each.size().states());
            assertThat(each.size().depth()).isGreaterThan(40);
        });
    }

    @Test
    void the_machines_were_in_every_one_of_their_states() {
        Set<Class<?>> reached = new HashSet<>();
        explored.forEach(each -> reached.addAll(each.reached().states()));

        // Idle is over before the first step, and Ended comes when the whole process closes.
        assertThat(reached)
                .contains(ElectionState.class.getPermittedSubclasses())
                .contains(SessionState.Opening.class, SessionState.Pausing.class, SessionState.Open.class);
    }

    @Test
    void the_pairs_that_matter_were_met() {
        SortedSet<String> pairs = new TreeSet<>();
        explored.forEach(each -> pairs.addAll(each.reached().pairs()));

        assertThat(pairs)
                .contains(
                        "Claiming on Granted",
                        "Waiting on Granted",
                        "Claiming on MustWait",
                        "Claiming on ClaimFailed",
                        "Claiming on SessionLost",
                        "RaisingFences on SessionLost",
                        "Leading on SessionLost",
                        "Leading on DutyEnded",
                        "Draining on DutyEnded",
                        "ReleasedEarly on Released",
                        "Releasing on ReleaseFailed",
                        "Open on Gone",
                        "Open on Renewed");
        assertThat(pairs).hasSizeGreaterThan(50);
    }
}
