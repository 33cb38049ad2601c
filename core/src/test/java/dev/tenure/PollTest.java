// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static dev.tenure.fakes.Scene.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore;
import dev.tenure.fakes.Scene;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Those who wait ask again now and then, because a notification may be lost. */
class PollTest {
    /** More than ask in one round, which are two thousand: 200 a second, and fewer than ask in two. */
    private static final int ELECTIONS = 3000;
    /** A TTL, and as much again by chance as a quarter of that. */
    private static final Duration ROUND = TTL.multipliedBy(5).dividedBy(4);

    private final Scene scene = new Scene();
    private final ManualHost host = scene.host;
    private final MemoryStore store = scene.store;

    private static final class Idle implements ActivePassive {
        @Override
        public void activate(Leadership leadership) {}

        @Override
        public void deactivate(Loss loss) {}
    }

    @BeforeEach
    void oneLeadsInAllAndTheOtherWaits() {
        standInAll(scene.client("a"));
        standInAll(scene.client("b"));
        store.mute();
    }

    private void standInAll(Tenure client) {
        for (int i = 0; i < ELECTIONS; i++) {
            client.elect("x" + i).run(new Idle());
        }
        host.settle();
    }

    private List<String> askedWithin(Duration time) {
        store.calls();
        host.advance(time);
        return store.calls().stream().filter(call -> call.startsWith("read c/")).toList();
    }

    @Test
    void thousands_do_not_ask_all_at_once() {
        List<String> asked = askedWithin(ROUND);

        assertThat(asked).isNotEmpty().hasSizeLessThan(ELECTIONS);
    }

    @Test
    void every_one_of_them_asks_within_two_rounds() {
        List<String> asked = askedWithin(ROUND.multipliedBy(2));

        assertThat(asked.stream().distinct()).hasSize(ELECTIONS);
    }
}
