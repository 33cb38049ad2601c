// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.etcd.cluster.EtcdServers;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A cluster tells how many members it has to those who stand and to those who look. */
@Tag("server")
class MembersTest {
    private static int membersSeenBySession(String url) {
        try (Client client = new Client(url)) {
            client.open(Duration.ofSeconds(2)).close();
            return client.backend().traits().members();
        }
    }

    private static int membersSeenByLook(String url) {
        try (Client client = new Client(url)) {
            client.ask(() -> client.backend().read(ElectionName.of("x")));
            return client.backend().traits().members();
        }
    }

    @ParameterizedTest
    @CsvSource({"NEWEST, 1", "NEWEST, 2", "NEWEST, 4", "OLDEST, 1"})
    void it_is_known_with_the_first_session_and_the_first_look(EtcdServers servers, int size) {
        try (EtcdCluster cluster = EtcdCluster.start(servers, size)) {
            assertThat(membersSeenBySession(cluster.url("members"))).isEqualTo(size);
            assertThat(membersSeenByLook(cluster.url("members"))).isEqualTo(size);
        }
    }

    @Test
    void a_learner_does_not_count() {
        try (EtcdCluster cluster = EtcdCluster.start(EtcdServers.NEWEST, 1)) {
            cluster.post("/v3/cluster/member/add", "{\"peerURLs\":[\"http://127.0.0.1:1\"],\"isLearner\":true}");

            assertThat(membersSeenBySession(cluster.url("members"))).isEqualTo(1);
        }
    }
}
