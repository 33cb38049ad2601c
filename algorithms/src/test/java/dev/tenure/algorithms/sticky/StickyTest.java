// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.sticky;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.algorithms.Drive;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Group;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class StickyTest {
    private static final List<String> RESOURCES =
            IntStream.range(0, 2000).mapToObj(i -> "orders/" + i).toList();
    private static final List<Integer> NODES = List.of(1, 2, 3, 4, 5);

    @Test
    void only_the_resources_of_a_node_that_goes_move() {
        for (int gone : NODES) {
            List<Integer> left = new ArrayList<>(NODES);
            left.remove(Integer.valueOf(gone));

            assertThat(RESOURCES)
                    .filteredOn(resource -> Sticky.owner(resource, NODES) != gone)
                    .allMatch(resource -> Sticky.owner(resource, left) == Sticky.owner(resource, NODES));
        }
    }

    @Test
    void the_work_is_spread_evenly() {
        Map<Integer, Long> shares = RESOURCES.stream()
                .collect(Collectors.groupingBy(resource -> Sticky.owner(resource, NODES), Collectors.counting()));

        assertThat(shares)
                .hasSize(5)
                .allSatisfy((node, share) -> assertThat(share).isBetween(320L, 480L));
    }

    @Test
    void what_a_dead_node_owned_comes_back_to_it() {
        Drive<Sticky.State> node = Drive.started(new Sticky(new Group(1, NODES), RESOURCES));

        Map<String, Effect> moved = byResource(node.suspects(3).effects());
        Map<String, Effect> returned = byResource(node.recovers(3).effects());

        assertThat(moved.keySet())
                .isEqualTo(returned.keySet())
                .allMatch(resource -> Sticky.owner(resource, NODES) == 3);
        assertThat(returned.values())
                .allMatch(effect -> effect instanceof Effect.Follow follow && follow.leader() == 3);
    }

    private static Map<String, Effect> byResource(List<Effect> effects) {
        return effects.stream().collect(Collectors.toMap(StickyTest::resource, Function.identity()));
    }

    private static String resource(Effect effect) {
        return effect instanceof Effect.Lead lead ? lead.role() : ((Effect.Follow) effect).role();
    }
}
