// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.zookeeper.ensemble.Ensemble;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An ensemble tells how many servers vote to those who stand and to those who look. */
@Tag("server")
class VoterCountTest {
    private static int membersSeenBySession(String url) throws Exception {
        try (Actor actor = Actor.open(url, Duration.ofSeconds(3))) {
            return actor.backend().traits().members();
        }
    }

    private static int membersSeenByLook(String url) throws Exception {
        try (Actor actor = new Actor(url)) {
            actor.ask(() -> actor.backend().read(ElectionName.of("x")));
            return actor.backend().traits().members();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void it_is_known_with_the_first_session_and_the_first_look(int size) throws Exception {
        try (Ensemble ensemble = Ensemble.start(size)) {
            assertThat(membersSeenBySession(ensemble.url("/members"))).isEqualTo(size);
            assertThat(membersSeenByLook(ensemble.url("/members"))).isEqualTo(size);
        }
    }

    @Test
    void three_are_three() throws Exception {
        assertThat(membersSeenByLook(Ensemble.shared().url("/members"))).isEqualTo(3);
    }

    @Test
    void what_cannot_be_told_is_not_told() {
        String voters = """
                server.1=a:2888:3888:participant;0.0.0.0:2181
                server.2=b:2888:3888:participant;0.0.0.0:2181
                """;

        assertThat(ZooKeeperBackend.voters(voters + "version=0", 1)).isEqualTo(2);
        assertThat(ZooKeeperBackend.voters(voters + "server.3=c:2888:3888:observer;0.0.0.0:2181\nversion=0", 3))
                .isEqualTo(2);
        assertThat(ZooKeeperBackend.voters(voters + "group.1=1:2\nweight.1=1\nversion=0", 3))
                .isZero();
        assertThat(ZooKeeperBackend.voters("", 1)).isEqualTo(1);
        assertThat(ZooKeeperBackend.voters("", 3)).isZero();
    }
}
