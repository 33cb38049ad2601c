// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.Candidacy;
import dev.tenure.ElectionName;
import dev.tenure.Grade;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.cluster.EtcdServers;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("server")
class ServerVersionTest {
    @ParameterizedTest
    @CsvSource({
        "3.3.27, true, true",
        "3.4.23, true, true",
        "3.4.30, true, true",
        "3.4.31, false, true",
        "3.4.37, false, true",
        "3.4.38, false, false",
        "3.5.12, true, true",
        "3.5.13, false, true",
        "3.5.22, false, true",
        "3.5.23, false, false",
        "3.6.4, false, true",
        "3.6.5, false, false",
        "3.7.0-alpha.1, false, false",
        "4.0.0, false, false"
    })
    void known_lease_bugs_are_told_by_version(String text, boolean revokesLive, boolean renewsDead) {
        ServerVersion version = ServerVersion.parse(text).orElseThrow();

        assertThat(version.mayRevokeLiveLeases()).isEqualTo(revokesLive);
        assertThat(version.mayRenewDeadLeases()).isEqualTo(renewsDead);
        assertThat(version.weakness().isEmpty()).isEqualTo(!renewsDead);
    }

    @Test
    void a_server_with_a_known_lease_bug_is_grade_b_and_says_why() {
        try (Client client = new Client(SharedClusters.of(EtcdServers.OLDEST).url("grades"))) {
            client.open(Duration.ofSeconds(2)).close();

            assertThat(client.backend().traits().grade()).isEqualTo(Grade.B);
            assertThat(client.backend().traits().gradeReason()).contains("upgrade to");
            assertThat(client.backend().traits().store()).startsWith("etcd 3.4.");
        }
    }

    @Test
    void who_only_looks_is_shown_it_too() {
        try (Client looks = new Client(SharedClusters.of(EtcdServers.OLDEST).url("grades"));
                Client reads = new Client(SharedClusters.of(EtcdServers.OLDEST).url("grades"))) {
            looks.ask(looks.backend()::list);
            reads.ask(() -> reads.backend().read(ElectionName.of("x")));

            assertThat(looks.backend().traits().grade()).isEqualTo(Grade.B);
            assertThat(reads.backend().traits().grade()).isEqualTo(Grade.B);
        }
    }

    @Test
    void who_requires_grade_a_does_not_stand_where_the_server_turns_out_to_be_less() {
        EtcdCluster cluster = SharedClusters.of(EtcdServers.OLDEST);
        String folder = "required-" + UUID.randomUUID();
        List<String> problems = new CopyOnWriteArrayList<>();
        try (Tenure tenure =
                Tenure.connect(cluster.url(folder)).requireGrade(Grade.A).open()) {
            tenure.onEvent(event -> {
                if (event instanceof TenureEvent.StoreError trouble) {
                    problems.add(trouble.problem());
                }
            });

            Candidacy candidacy = tenure.elect("x").perform(leadership -> {});

            await().atMost(Duration.ofSeconds(20)).until(() -> !problems.isEmpty());
            assertThat(problems.get(0)).startsWith("grade A was required, but etcd 3.4.");
            assertThat(candidacy.retired().toCompletableFuture()).isNotDone();
            assertThat(cluster.range(new Keys(folder, false).election(ElectionName.of("x"))))
                    .isEmpty();
        }
    }

    @Test
    void a_server_without_one_is_grade_a() {
        try (Client client = new Client(SharedClusters.of(EtcdServers.NEWEST).url("grades"))) {
            client.open(Duration.ofSeconds(2)).close();

            assertThat(client.backend().traits().grade()).isEqualTo(Grade.A);
        }
    }
}
