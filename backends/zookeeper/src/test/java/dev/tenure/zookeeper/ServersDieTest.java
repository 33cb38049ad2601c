// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.zookeeper.ensemble.Server;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real servers that are killed, under candidates that lead and write. */
@Tag("server")
@Timeout(180)
class ServersDieTest extends OwnServers {
    @Test
    void a_leader_outlives_the_death_of_each_server_in_turn() throws Exception {
        try (Crowd crowd = crowd(CALM)) {
            String leader = crowd.awaitLeader();
            for (Server server : ensemble.servers()) {
                server.kill();
                crowd.awaitProgress();
                server.startAgain();
                ensemble.awaitReady();
            }
            crowd.awaitProgress();

            assertThat(crowd.leader()).contains(leader);
            assertThat(crowd.terms()).isEqualTo(1);
            crowd.assertNeverTwo();
        }
    }

    /** One of those of the test above; here the moment is chosen. */
    @Test
    @Tag("all")
    void a_leader_outlives_the_death_of_zookeepers_own_leader() throws Exception {
        try (Crowd crowd = crowd(CALM)) {
            crowd.awaitLeader();
            Server leading = ensemble.leader();

            leading.kill();
            Await.until(
                    "the others have elected one",
                    () -> ensemble.servers().stream()
                            .anyMatch(server ->
                                    server.mode().filter("leader"::equals).isPresent()));
            crowd.awaitProgress();
            leading.startAgain();
            ensemble.awaitReady();
            crowd.awaitProgress();

            assertThat(crowd.terms()).isEqualTo(1);
            crowd.assertNeverTwo();
        }
    }

    @Test
    void all_servers_restarted_leave_one_leader_and_growing_tokens() throws Exception {
        try (Crowd crowd = crowd(SHORT)) {
            crowd.awaitLeader();
            crowd.awaitProgress();

            for (Server server : ensemble.servers()) {
                server.kill();
            }
            Await.until("nobody leads without a store", () -> crowd.leader().isEmpty());
            for (Server server : ensemble.servers()) {
                server.startAgain();
            }
            ensemble.awaitReady();
            crowd.awaitLeader();
            crowd.awaitProgress();

            crowd.assertNeverTwo();
        }
    }
}
