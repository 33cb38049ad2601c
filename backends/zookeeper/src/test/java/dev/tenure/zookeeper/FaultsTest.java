// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.FencingToken;
import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.ZooKeeperProxy;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Candidates that are cut off, robbed of their session or of all records, on servers that work. */
@Tag("server")
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class FaultsTest {
    private static final Duration TTL = Duration.ofSeconds(6);
    private static final Duration SHORT = Duration.ofSeconds(2);

    private final String base = "/faults-" + UUID.randomUUID();

    private Crowd crowd(Duration ttl) {
        Crowd crowd = new Crowd(ttl);
        for (String node : List.of("a", "b", "c")) {
            crowd.join(node, Ensemble.shared().url(base));
        }
        return crowd;
    }

    @Test
    void b09_a_namespace_that_was_wiped_has_a_leader_again_with_a_higher_token() throws Exception {
        try (Crowd crowd = crowd(SHORT);
                Operator operator = new Operator(Ensemble.shared().addresses())) {
            crowd.awaitLeader();
            crowd.awaitProgress();
            FencingToken before = crowd.newest();

            operator.wipe(base);
            Await.until("a later term", () -> crowd.newest().isNewerThan(before));
            crowd.awaitProgress();

            Await.until(
                    "another store, so a higher era",
                    () -> operator.has(base + "/e") && era(operator.data(base + "/e")) > before.era());
            Await.until(
                    "each stands with one latch",
                    () -> operator.latches(base + "/c/crowd").size() == 3);
            crowd.assertTokensGrow();
        }
    }

    /** Who stands there puts the record back while it is being wiped, so it may be wiped, and the era raised, more than once. */
    private static int era(String record) {
        return Integer.parseInt(record.lines()
                .filter(line -> line.startsWith("era="))
                .findFirst()
                .orElseThrow()
                .substring("era=".length()));
    }

    @ParameterizedTest
    @EnumSource(names = {"CUT", "DEAF", "MUTE", "LATE"})
    void b15_a_leader_that_is_cut_off_has_stopped_before_its_successor_begins(ZooKeeperProxy.State trouble)
            throws Exception {
        try (ZooKeeperProxy proxy =
                        new ZooKeeperProxy(Ensemble.shared().servers().get(0));
                Crowd crowd = new Crowd(SHORT)) {
            crowd.join("cut off", "zk://" + proxy.address() + base + "?tick=200ms");
            crowd.awaitLeader();
            crowd.join("next", Ensemble.shared().url(base));
            crowd.awaitProgress();

            proxy.become(trouble);
            Await.until(
                    "the next leads",
                    () -> crowd.leader().filter("next"::equals).isPresent());
            crowd.awaitProgress();
            proxy.become(ZooKeeperProxy.State.UP);
            crowd.awaitProgress();

            crowd.assertNeverTwo();
            assertThat(crowd.terms())
                    .as("more, if the machine stalls for longer than the TTL")
                    .isGreaterThanOrEqualTo(2);
        }
    }

    /** As an operator does who closes it, or as a server that was told a wrong time. */
    @Test
    void a_session_that_is_revoked_by_hand_ends_the_term_and_somebody_leads_again() throws Exception {
        try (Crowd crowd = crowd(TTL);
                Operator operator = new Operator(Ensemble.shared().addresses())) {
            crowd.awaitLeader();
            crowd.awaitProgress();
            FencingToken before = crowd.newest();
            String path = base + "/c/crowd";
            String latch = path + "/" + operator.latches(path).get(0);

            Operator.endSession(
                    Ensemble.shared().addresses(),
                    operator.client().exists(latch, false).getEphemeralOwner());
            Await.until("a later term", () -> crowd.newest().isNewerThan(before));
            crowd.awaitProgress();

            assertThat(crowd.sessionsLost())
                    .singleElement()
                    .asString()
                    .as("told by the servers, not found out by its own deadline")
                    .startsWith("ZooKeeper has ended the session");
            assertThat(operator.latches(path)).hasSize(3);
            crowd.assertTokensGrow();
        }
    }
}
