// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ElectionName;
import dev.tenure.Leader;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.Observation;
import dev.tenure.zookeeper.ensemble.Ensemble;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An observer asks for the latch that leads, and each time it has gone by then. */
@Tag("server")
class ObserverReadsTest {
    private static final ElectionName ELECTION = ElectionName.of("e");
    private static final Duration TTL = Duration.ofSeconds(40);
    private static final int ROUNDS = 5;

    private final String base = "/observer-" + UUID.randomUUID();
    private final AtomicInteger asked = new AtomicInteger();
    private RequestProxy proxy;
    private Actor leader;
    private Actor observer;
    private ClaimReply.Granted grant;

    @BeforeEach
    void elect() throws Exception {
        leader = new Actor(Ensemble.shared().url(base));
        leader.openWithoutRenewing(TTL);
        grant = leader.take(ELECTION);
        proxy = new RequestProxy(Ensemble.shared().servers().get(0));
        observer = new Actor("zk://" + proxy.address() + base);
    }

    @AfterEach
    void closeAll() {
        observer.close();
        proxy.close();
        leader.close();
    }

    /** The first so many requests for the latch ask for another one, which is not there. */
    private void latchHasGone(int times) {
        proxy.filter((kind, request) -> {
            int at = kind == RequestProxy.GET_DATA ? latchAt(request) : -1;
            if (at >= 0 && asked.incrementAndGet() <= times) {
                request[at] = '+';
            }
            return true;
        });
    }

    /** Where in a request the name of a latch is; -1 if it is about another znode. */
    private static int latchAt(byte[] request) {
        return new String(request, StandardCharsets.ISO_8859_1).indexOf("-latch-");
    }

    @Test
    void a_leader_that_has_gone_meanwhile_is_looked_for_again() throws Exception {
        latchHasGone(ROUNDS - 1);

        Observation seen = observer.ask(() -> observer.backend().read(ELECTION));

        assertThat(seen.leader().map(Leader::token)).contains(grant.token());
        assertThat(asked).hasValue(ROUNDS);
    }

    /** Otherwise each change of a busy lock would begin reads that do not end. */
    @Test
    void a_read_ends_when_the_leader_has_gone_each_time() {
        latchHasGone(Integer.MAX_VALUE);

        assertThatThrownBy(() -> observer.ask(() -> observer.backend().read(ELECTION)))
                .hasCauseInstanceOf(BackendException.class)
                .hasMessageContaining("there is no znode");
        assertThat(asked).hasValue(ROUNDS);
    }
}
