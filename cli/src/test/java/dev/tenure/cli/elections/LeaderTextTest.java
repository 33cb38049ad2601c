// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.elections;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.LeaderMetadata;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class LeaderTextTest {
    private static final Instant NOON = Instant.parse("2026-11-16T12:00:00Z");

    private static Leader since(Instant instant) {
        return new Leader(ElectionName.of("x"), "node-1", new FencingToken(7), instant, LeaderMetadata.EMPTY);
    }

    @Test
    void a_leader_is_shown_with_the_time_it_began_and_how_long_ago_that_is() {
        Leader leader = since(NOON.minusSeconds(200));

        assertThat(LeaderText.since(leader, NOON.toEpochMilli())).isEqualTo("2026-11-16T11:56:40Z (3m)");
        assertThat(LeaderText.json(leader)).containsEntry("since", NOON.minusSeconds(200));
    }

    @Test
    void a_leader_of_another_library_that_does_not_say_since_when_is_not_shown_as_fifty_years_old() {
        Leader leader = since(Instant.EPOCH);

        assertThat(LeaderText.since(leader, NOON.toEpochMilli())).isEqualTo("unknown");
        assertThat(LeaderText.json(leader)).doesNotContainKey("since");
    }
}
