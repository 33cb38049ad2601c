// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.Server;
import dev.tenure.zookeeper.session.SessionTimeouts;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real servers that do not hear each other, under candidates that lead and write. */
@Tag("server")
@Timeout(180)
class ServersApartTest extends OwnServers {
    /** For as long as a session lasts, a tick less, and a tick more. */
    @Test
    void b05_servers_that_do_not_hear_each_other_for_about_a_session_never_make_two_leaders() throws Exception {
        Duration session = Duration.ofMillis(new SessionTimeouts(Ensemble.TICK).timeoutMillis(SHORT));
        try (Crowd crowd = crowd(SHORT)) {
            crowd.awaitLeader();
            for (Duration apart : List.of(session.minus(Ensemble.TICK), session, session.plus(Ensemble.TICK))) {
                crowd.awaitProgress();
                Server leading = ensemble.leader();
                List<Server> others = ensemble.servers().stream()
                        .filter(server -> server != leading)
                        .toList();
                for (Server other : others) {
                    other.stop();
                }
                long byNanos = System.nanoTime() + apart.toNanos();
                Await.until("so long", () -> System.nanoTime() - byNanos > 0);
                for (Server other : others) {
                    other.resume();
                }
                ensemble.awaitReady();
            }
            crowd.awaitProgress();

            crowd.assertNeverTwo();
        }
    }

    /** Nothing is committed until the followers have given up on it, which can take longer than a term lasts. */
    @Test
    void zookeepers_own_leader_that_hangs_may_cost_a_term_but_never_makes_two_leaders() throws Exception {
        Server leading = ensemble.leader();
        try (Crowd crowd = crowd(TTL)) {
            crowd.awaitLeader();

            hang(leading, crowd, TTL);

            assertThat(crowd.terms()).isLessThanOrEqualTo(2);
            crowd.assertNeverTwo();
        }
    }
}
