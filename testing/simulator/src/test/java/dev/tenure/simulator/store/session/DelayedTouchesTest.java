// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.simulator.store.session.SessionStoreState.Lease;
import dev.tenure.testing.SplitMix64;
import dev.tenure.testing.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which signs of life reach the server that judges. */
final class DelayedTouchesTest {
    private static final int PROCESS = 7;
    private static final long HALF_TICK_NANOS = 1_000_000_000;

    private final VirtualTime time = new VirtualTime();
    private final List<Lease> counted = new ArrayList<>();
    private final DelayedTouches delayedTouches =
            new DelayedTouches(time, new SplitMix64(1), HALF_TICK_NANOS, counted::add);
    private final Lease lease = new Lease("s", PROCESS, new StoreRules.Lifetime(1, 1), null, 0);

    private void touch() {
        delayedTouches.touch(lease);
        time.runUntil(time.nanos() + HALF_TICK_NANOS + 1);
    }

    @Test
    void a_touch_is_handed_on_within_half_a_tick() {
        touch();

        assertThat(counted).containsExactly(lease);
    }

    @Test
    void a_touch_that_was_lost_with_its_server_is_not_counted() {
        delayedTouches.loseNext(PROCESS, () -> {});

        touch();

        assertThat(counted).isEmpty();
    }

    @Test
    void who_connects_anew_is_counted_even_if_the_next_touch_is_lost_too() {
        delayedTouches.loseNext(PROCESS, () -> {});
        touch();
        delayedTouches.loseNext(PROCESS, () -> {});

        touch();

        assertThat(counted).containsExactly(lease);
    }

    @Test
    void who_connects_anew_is_counted_then_and_not_once_more_with_the_next_touch() {
        delayedTouches.loseNext(PROCESS, () -> {});
        touch();
        delayedTouches.reconnected(PROCESS);
        assertThat(counted).containsExactly(lease);

        touch();

        assertThat(counted).containsExactly(lease, lease);
    }
}
