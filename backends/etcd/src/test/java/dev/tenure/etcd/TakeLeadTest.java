// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.etcd.client.KeyRange;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.cluster.EtcdProxy;
import dev.tenure.etcd.cluster.EtcdServers;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.support.TermRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One who waits in the queue comes to its front: a read proves it, and the record of the term follows. */
@Tag("server")
class TakeLeadTest {
    private static final ElectionName ELECTION = ElectionName.of("sweeper");
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration SOON = Duration.ofSeconds(20);

    private final EtcdCluster cluster = SharedClusters.of(EtcdServers.NEWEST);
    private final String folder = "turn-" + UUID.randomUUID().toString().substring(0, 8);
    private final Keys keys = new Keys(folder, false);
    private EtcdProxy proxy;
    private Client leaving;
    private Client coming;

    @BeforeEach
    void connect() throws Exception {
        proxy = new EtcdProxy(cluster.nodes().get(0).clientPort());
        leaving = new Client(cluster.url(folder));
        coming = new Client("etcd://" + proxy.endpoint() + "/" + folder + "?timeout=20s");
    }

    @AfterEach
    void close() throws Exception {
        leaving.close();
        coming.close();
        proxy.close();
    }

    private void holdBackTheRecord() {
        proxy.holdBack("tenure term 1");
    }

    private Optional<Long> recorded() {
        return cluster.range(KeyRange.under(keys.term(ELECTION))).stream()
                .flatMap(stored -> stored.term().stream())
                .filter(TermRecord::held)
                .map(term -> term.token().sequence())
                .findFirst();
    }

    private ClaimReply.Granted grantBeforeItsRecord(Client.Seat successor) throws Exception {
        Client.Seat holder = leaving.open(TTL);
        ClaimReply.Granted first = holder.take(ELECTION);
        Nonce place = successor.queue(ELECTION);
        holdBackTheRecord();
        holder.release(ELECTION, first.nonce());
        proxy.awaitHolding();
        await().atMost(SOON).until(() -> successor.pushed(place).isPresent());
        return successor.pushed(place).orElseThrow();
    }

    @Test
    void a_successor_leads_while_the_record_of_its_term_is_still_under_way() throws Exception {
        Client.Seat successor = coming.open(TTL);

        ClaimReply.Granted grant = grantBeforeItsRecord(successor);

        assertThat(recorded()).isEmpty();
        assertThat(successor.holds(ELECTION, grant)).isTrue();
        proxy.letGo();
        await().atMost(SOON).until(() -> recorded().isPresent());
        assertThat(recorded()).contains(grant.token().sequence());
        assertThat(successor.holds(ELECTION, grant)).isTrue();
    }

    @Test
    void a_record_that_was_lost_on_its_way_is_written_with_the_next_heartbeat() throws Exception {
        Client.Seat successor = coming.open(TTL);
        ClaimReply.Granted grant = grantBeforeItsRecord(successor);

        proxy.reset();
        proxy.letGo();

        await().atMost(SOON).until(() -> {
            assertThat(successor.renew()).isInstanceOf(RenewReply.Renewed.class);
            return recorded().isPresent();
        });
        assertThat(recorded()).contains(grant.token().sequence());
    }

    @Test
    void a_poll_in_the_very_moment_of_the_notice_disturbs_nothing() {
        Client.Seat holder = leaving.open(TTL);
        Client.Seat successor = coming.open(TTL);
        for (int i = 0; i < 20; i++) {
            ClaimReply.Granted first = holder.take(ELECTION);
            Nonce place = successor.queue(ELECTION);

            CompletableFuture<?> release = leaving.send(() -> holder.session.release(ELECTION, first.nonce()));
            List<ClaimReply.Granted> granted = new ArrayList<>();
            await().atMost(SOON)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> {
                        if (successor.claim(ELECTION, place) instanceof ClaimReply.Granted grant) {
                            granted.add(grant);
                        }
                        return !granted.isEmpty() || successor.pushed(place).isPresent();
                    });
            Client.reply(release);
            boolean held = successor.holds(ELECTION, successor.pushed(place).orElseGet(() -> granted.get(0)));
            successor.release(ELECTION, place);

            assertThat(held).isTrue();
            List<ClaimReply.Granted> pushed = successor.heard.grants().stream()
                    .filter(grant -> grant.nonce().equals(place))
                    .toList();
            assertThat(pushed).hasSizeLessThanOrEqualTo(1);
            assertThat(Stream.concat(granted.stream(), pushed.stream()).map(ClaimReply.Granted::token))
                    .as("one term, however often it was told")
                    .allMatch(token -> token.compareTo(first.token()) > 0)
                    .containsOnly(
                            granted.isEmpty()
                                    ? pushed.get(0).token()
                                    : granted.get(0).token());
        }
    }

    /** No watch tells of that, so it is found when the entry before it goes. */
    @Test
    void one_whose_own_entry_has_gone_too_is_told_to_ask_again() {
        Client.Seat holder = leaving.open(TTL);
        Client.Seat successor = coming.open(TTL);
        ClaimReply.Granted first = holder.take(ELECTION);
        Nonce place = successor.queue(ELECTION);
        String own = keys.entry(ELECTION, Long.parseLong(successor.lease(), 16));
        proxy.swallow(own);
        cluster.delete(KeyRange.one(own));
        await().atMost(SOON).until(() -> proxy.swallowed() > 0);
        proxy.swallow("");
        proxy.holdBack("tenure claim 1");

        holder.release(ELECTION, first.nonce());

        await().atMost(SOON).until(() -> successor.heard.changes().contains(ELECTION));
        proxy.letGo();
        assertThat(successor.claim(ELECTION, place)).isInstanceOf(ClaimReply.Granted.class);
    }

    /** The entry before its own has gone, but that was not the first one. */
    @Test
    void one_whose_predecessor_has_left_the_queue_waits_on_for_the_one_who_leads() {
        Client.Seat holder = leaving.open(TTL);
        Client.Seat between = leaving.open(TTL);
        Client.Seat last = coming.open(TTL);
        ClaimReply.Granted first = holder.take(ELECTION);
        Nonce second = between.queue(ELECTION);
        Nonce third = last.queue(ELECTION);

        between.release(ELECTION, second);
        for (int i = 0; i < 20; i++) {
            last.renew();
            assertThat(last.pushed(third)).isEmpty();
        }
        holder.release(ELECTION, first.nonce());

        await().atMost(SOON).until(() -> last.pushed(third).isPresent());
    }

    @Test
    void one_who_was_released_before_its_record_arrived_stays_released() throws Exception {
        Client.Seat successor = coming.open(TTL);
        ClaimReply.Granted grant = grantBeforeItsRecord(successor);

        successor.release(ELECTION, grant.nonce());
        proxy.letGo();

        assertThat(leaving.open(TTL).take(ELECTION).takeover()).isFalse();
        assertThat(successor.holds(ELECTION, grant)).isFalse();
    }
}
