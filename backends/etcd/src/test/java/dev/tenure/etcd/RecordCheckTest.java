// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.cluster.EtcdServers;
import dev.tenure.spi.ClaimReply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a session says of its own records, with a heartbeat before each question; and what a poll costs. */
@Tag("server")
class RecordCheckTest {
    private static final ElectionName ELECTION = ElectionName.of("sweeper");
    private static final Duration TTL = Duration.ofSeconds(60);

    private final Keys keys = new Keys("checked", false);
    private EtcdCluster cluster;
    private Client client;

    @BeforeEach
    void start() throws Exception {
        cluster = EtcdCluster.start(EtcdServers.NEWEST, 1);
        client = new Client(cluster.url("checked"));
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        cluster.close();
    }

    @Test
    void another_token_or_nonce_is_not_held() {
        Client.Seat seat = client.open(TTL);
        ClaimReply.Granted grant = seat.take(ELECTION);
        FencingToken later = new FencingToken(grant.token().value() + 1);
        ClaimReply.Granted otherToken = new ClaimReply.Granted(later, grant.nonce(), false, Duration.ZERO);
        ClaimReply.Granted otherNonce = new ClaimReply.Granted(grant.token(), seat.nonce(), false, Duration.ZERO);
        seat.renew();
        assertThat(seat.holds(ELECTION, grant)).isTrue();

        seat.renew();
        assertThat(seat.holds(ELECTION, otherToken)).isFalse();
        seat.renew();
        assertThat(seat.holds(ELECTION, otherNonce)).isFalse();
    }

    /** Nobody is told of this: only who looks can see it. */
    @Test
    void a_record_that_somebody_wrote_over_is_noticed_with_the_next_heartbeat() throws Exception {
        Client.Seat seat = client.open(TTL);
        ClaimReply.Granted grant = seat.take(ELECTION);
        String entry = keys.entry(ELECTION, Long.parseLong(seat.lease(), 16));
        Term byHand = new Term(ElectionName.of("by-hand"), new FencingToken(1), seat.nonce(), "operator");
        seat.renew();
        assertThat(seat.holds(ELECTION, grant)).isTrue();

        EtcdFence.at(cluster.url("by-hand"), "anything").write(byHand, List.of(EtcdFence.put(entry, "somebody else")));
        seat.renew();

        assertThat(seat.holds(ELECTION, grant)).isFalse();
    }

    @Test
    void a_record_that_goes_is_looked_for_with_the_next_heartbeat() {
        Client.Seat seat = client.open(TTL);
        ClaimReply.Granted grant = seat.take(ELECTION);
        seat.renew();
        assertThat(seat.holds(ELECTION, grant)).isTrue();

        cluster.delete(keys.election(ELECTION));
        seat.renew();

        assertThat(seat.holds(ELECTION, grant)).isFalse();
    }

    /** A write would cost the whole cluster, and most of those that ask again still have to wait. */
    @Test
    void a_candidate_that_asks_again_writes_nothing_to_the_log() {
        Client.Seat holder = client.open(TTL);
        Client.Seat waiting = client.open(TTL);
        holder.take(ELECTION);
        Nonce place = waiting.queue(ELECTION);
        awaitRecordedTerms(1);
        long before = logIndex();

        for (int i = 0; i < 5; i++) {
            assertThat(waiting.claim(ELECTION, place)).isInstanceOf(ClaimReply.Waiting.class);
        }

        assertThat(logIndex()).isEqualTo(before);
    }

    @Test
    void candidates_that_ask_again_together_write_nothing_to_the_log() {
        Client.Seat holder = client.open(TTL);
        Client.Seat waiting = client.open(TTL);
        List<ElectionName> elections = IntStream.range(0, 5)
                .mapToObj(number -> ElectionName.of("together-" + number))
                .toList();
        elections.forEach(holder::take);
        Map<ElectionName, Nonce> places = elections.stream().collect(Collectors.toMap(one -> one, waiting::queue));
        awaitRecordedTerms(elections.size());
        long before = logIndex();

        List<CompletableFuture<ClaimReply>> polls = elections.stream()
                .map(one -> waiting.send(one, places.get(one)))
                .toList();

        assertThat(polls).map(Client::reply).hasOnlyElementsOfType(ClaimReply.Waiting.class);
        assertThat(logIndex()).isEqualTo(before);
    }

    /** They are written right after a grant. */
    private void awaitRecordedTerms(int terms) {
        await().atMost(TTL).until(() -> cluster.range(keys.terms()).size() == terms);
    }

    private long logIndex() {
        return cluster.status(cluster.nodes().get(0)).number("raftIndex");
    }
}
