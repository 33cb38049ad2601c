// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.support.TermRecord;
import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.ZooKeeperProxy;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("server")
class RenewalTest {
    private static final Duration TTL = Duration.ofSeconds(10);
    /** Longer than this test: nothing is found out by silence. */
    private static final Duration LONG = Duration.ofSeconds(40);

    private static final ElectionName ELECTION = ElectionName.of("e");

    private final String base = "/renewal-" + UUID.randomUUID();

    /** What the leader of ZooKeeper has surely counted is what was acknowledged half a tick ago. */
    @Test
    void a_renewal_that_comes_late_is_good_for_that_much_less_and_a_tick_later_the_ttl_is_whole_again()
            throws Exception {
        try (Actor actor = new Actor(Ensemble.shared().url(base))) {
            actor.openWithoutRenewing(TTL);
            Duration whole = actor.session().ttl();
            long begunNanos = System.nanoTime();
            Await.until("half a TTL has passed", () -> System.nanoTime() - begunNanos > whole.toNanos() / 2);

            Duration late = renewed(actor);

            assertThat(late).isLessThan(whole.multipliedBy(9).dividedBy(10));
            Await.until("it was handed on", () -> renewed(actor).equals(whole));
        }
    }

    private static Duration renewed(Actor actor) throws Exception {
        return ((RenewReply.Renewed) actor.ask(() -> actor.session().renew())).ttl();
    }

    @Test
    void a_session_that_was_ended_by_hand_is_told_without_a_heartbeat() throws Exception {
        try (Actor actor = new Actor(Ensemble.shared().url(base))) {
            actor.openWithoutRenewing(LONG);
            long id = Long.parseUnsignedLong(actor.session().id().substring(2), 16);

            Operator.endSession(Ensemble.shared().addresses(), id);

            Await.until("it was told", () -> !actor.heard.losses().isEmpty());
            assertThat(actor.heard.losses()).singleElement().asString().contains("closed by hand");
        }
    }

    @Test
    void a_heartbeat_is_one_request_whatever_is_held() throws Exception {
        try (ZooKeeperProxy proxy =
                        new ZooKeeperProxy(Ensemble.shared().servers().get(0));
                Actor actor = new Actor("zk://" + proxy.address() + base + "?tick=200ms");
                Operator operator = new Operator()) {
            actor.openWithoutRenewing(LONG);
            for (int i = 0; i < 20; i++) {
                ClaimReply.Granted grant = actor.take(ElectionName.of("e" + i));
                String path = base + "/c/e" + i;
                Await.until("its term is written down", () -> isWritten(operator, path, grant));
            }
            renewed(actor);
            long before = proxy.requests();

            for (int heartbeats = 1; heartbeats <= 10; heartbeats++) {
                renewed(actor);
                assertThat(proxy.requests() - before).isEqualTo(heartbeats);
            }
        }
    }

    private static boolean isWritten(Operator operator, String path, ClaimReply.Granted grant) throws Exception {
        boolean known = operator.has(path); // the operator's server may lag behind
        return known
                && TermRecord.find(operator.data(path))
                        .filter(last -> last.token().equals(grant.token()))
                        .isPresent();
    }

    /** The watch on the own latch tells it too, and sooner; this is what would be left if that were lost. */
    @Test
    void a_heartbeat_finds_a_latch_that_is_gone() throws Exception {
        try (Actor actor = new Actor(Ensemble.shared().url(base));
                Operator operator = new Operator()) {
            actor.openWithoutRenewing(TTL);
            ClaimReply.Granted grant = actor.take(ELECTION);
            String path = base + "/c/e";
            operator.remove(path + "/" + operator.latches(path).get(0));
            Await.until("the watch has told", () -> actor.heard.changes().contains(ELECTION));
            actor.heard.forget();

            RenewReply reply = actor.ask(() -> actor.session().renew());

            assertThat(reply).isInstanceOf(RenewReply.Renewed.class);
            assertThat(actor.heard.changes()).contains(ELECTION);
            assertThat(actor.heard.losses()).isEmpty();
            assertThat(actor.take(ELECTION).token()).isGreaterThan(grant.token());
        }
    }
}
