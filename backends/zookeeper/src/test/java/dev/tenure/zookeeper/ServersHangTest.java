// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.Server;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real servers that are stopped for a while, under candidates that lead and write. */
@Tag("server")
@Timeout(180)
class ServersHangTest extends OwnServers {
    /** The candidates know the followers only, so the one that leads is connected to one of them: that one hangs. */
    @Test
    void a_follower_that_hangs_costs_no_term_the_client_turns_to_another_server() throws Exception {
        Server leading = ensemble.leader();
        List<Server> followers =
                ensemble.servers().stream().filter(server -> server != leading).toList();
        String addresses = followers.stream().map(Server::address).collect(Collectors.joining(","));
        try (Crowd crowd = new Crowd(CALM);
                Operator operator = new Operator(leading.address())) {
            for (String node : List.of("a", "b", "c")) {
                crowd.join(node, "zk://" + addresses + base + "?tick=" + Ensemble.TICK.toMillis() + "ms");
            }
            crowd.awaitLeader();
            String path = base + "/c/crowd";
            long session = operator.owner(path + "/" + operator.latches(path).get(0));
            Server used = followers.stream()
                    .filter(server -> server.ask("cons").contains("sid=0x" + Long.toHexString(session)))
                    .findFirst()
                    .orElseThrow();

            hang(used, crowd, CALM);

            assertThat(crowd.terms()).isEqualTo(1);
            crowd.assertNeverTwo();
        }
    }
}
