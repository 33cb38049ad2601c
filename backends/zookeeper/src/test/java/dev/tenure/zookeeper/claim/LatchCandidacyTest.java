// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LatchCandidacyTest {
    @Test
    void a_hostile_record_makes_nobody_wait_for_longer_than_any_session_can_last() {
        assertThat(LatchCandidacy.believed(Duration.ofDays(1))).isEqualTo(Duration.ofHours(1));
        assertThat(LatchCandidacy.believed(Duration.ofSeconds(10))).isEqualTo(Duration.ofSeconds(10));
    }
}
