// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ElectionName;
import dev.tenure.spi.BackendException;
import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.ZooKeeperProxy;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Three ways to end: the servers agree, they cannot be reached, or they are not asked. */
@Tag("server")
class SessionEndTest {
    private static final Duration TTL = Duration.ofSeconds(4);
    private static final ElectionName ELECTION = ElectionName.of("e");

    private final String base = "/end-" + UUID.randomUUID();
    private final String path = base + "/c/e";
    private Operator operator;
    private ZooKeeperProxy proxy;
    private Actor leader;

    @BeforeEach
    void lead() throws Exception {
        operator = new Operator();
        proxy = new ZooKeeperProxy(Ensemble.shared().servers().get(0));
        leader = new Actor("zk://" + proxy.address() + base + "?tick=200ms");
        leader.openWithoutRenewing(TTL);
        leader.take(ELECTION);
    }

    @AfterEach
    void closeAll() throws Exception {
        leader.close();
        proxy.close();
        operator.close();
    }

    @Test
    void a_session_that_was_closed_has_no_latch_any_more() throws Exception {
        leader.ask(() -> leader.session().close());

        assertThat(operator.latches(path)).isEmpty();
    }

    @Test
    void a_close_that_no_server_has_acknowledged_is_of_unknown_outcome() throws Exception {
        proxy.become(ZooKeeperProxy.State.CUT);

        assertThatThrownBy(() -> leader.ask(() -> leader.session().close()))
                .cause()
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.effect()).isEqualTo(BackendException.Effect.UNKNOWN))
                .hasMessageContaining("it lapses within 4000 ms");
        assertThat(operator.latches(path)).hasSize(1);
    }

    /** Its duties may still run: the session protects them until it lapses. */
    @Test
    void a_backend_that_is_closed_leaves_its_session_to_lapse() throws Exception {
        leader.backend().close();

        assertThat(operator.latches(path)).hasSize(1);
        Await.until("the session has lapsed", () -> operator.latches(path).isEmpty());
    }
}
