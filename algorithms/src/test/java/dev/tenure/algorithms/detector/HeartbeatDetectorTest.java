// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.detector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.algorithms.Drive;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Group;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HeartbeatDetectorTest {
    private final Drive<HeartbeatDetector.State> node = Drive.started(
            new HeartbeatDetector(new Group(1, List.of(1, 2, 3)), Duration.ofNanos(100), Duration.ofNanos(350)));

    @Test
    void who_is_silent_for_too_long_is_suspected_once() {
        node.at(300).receives(2, new Heartbeat());

        assertThat(node.at(351).fires("beat").effects())
                .contains(new Effect.Suspect(3))
                .doesNotContain(new Effect.Suspect(2));
        assertThat(node.at(451).fires("beat").effects()).doesNotContain(new Effect.Suspect(3));
    }

    @Test
    void who_is_heard_again_is_trusted_again() {
        node.at(351).fires("beat");

        assertThat(node.receives(3, new Heartbeat()).effects()).containsExactly(new Effect.Trust(3));
        assertThat(node.receives(3, new Heartbeat()).effects()).isEmpty();
    }

    @Test
    void each_beat_tells_all_others() {
        assertThat(node.fires("beat").sends()).extracting(Effect.Send::to).containsExactly(2, 3);
    }
}
