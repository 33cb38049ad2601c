// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenure.Candidacy;
import dev.tenure.ElectionName;
import dev.tenure.LeaderWatch;
import dev.tenure.Leadership;
import dev.tenure.Nonce;
import dev.tenure.StaleTokenException;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.Term;
import dev.tenure.contract.AlteredHost;
import dev.tenure.etcd.claim.QueueEntry;
import dev.tenure.etcd.client.EtcdClient;
import dev.tenure.etcd.client.EtcdSettings;
import dev.tenure.etcd.client.KeyRange;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.client.Txn;
import dev.tenure.etcd.cluster.EtcdProxy;
import dev.tenure.etcd.cluster.EtcdServers;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.Host;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.RenewReply;
import dev.tenure.testing.InMemoryFence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bugs that other clients of etcd have had, each under its number in the catalogue, on a real cluster. */
@Tag("server")
class PeerBugsTest {
    private static final ElectionName ELECTION = ElectionName.of("sweeper");
    private static final Duration TTL = Duration.ofSeconds(3);
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int HEARTBEATS = 8;

    private final EtcdCluster cluster = SharedClusters.of(EtcdServers.OLDEST);
    private final String folder = "bugs-" + UUID.randomUUID().toString().substring(0, 8);
    private final Keys keys = new Keys(folder, false);
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable one : opened) {
            one.close();
        }
    }

    private Client client() {
        return client(cluster.url(folder));
    }

    private Client client(String url) {
        Client client = new Client(url);
        opened.add(client);
        return client;
    }

    private Tenure tenure(String node) {
        return tenure(cluster.url(folder), node);
    }

    private Tenure tenure(String url, String node) {
        Tenure tenure = Tenure.connect(url).node(node).ttl(TTL).open();
        opened.add(0, tenure);
        return tenure;
    }

    private static Candidacy stand(Tenure tenure) {
        return tenure.elect(ELECTION.value()).perform(leadership -> {
            while (leadership.isActive()) {
                leadership.rest(Duration.ofSeconds(1));
            }
        });
    }

    private EtcdProxy proxy() throws Exception {
        return proxy(0);
    }

    private EtcdProxy proxy(int node) throws Exception {
        EtcdProxy proxy = new EtcdProxy(cluster.nodes().get(node).clientPort());
        opened.add(proxy);
        return proxy;
    }

    @Test
    void b18_a_lease_that_dies_in_the_queue_does_not_win_when_its_predecessor_leaves() {
        Client.Seat holder = client().open(TTL);
        Client.Seat queued = client().open(TTL);
        ClaimReply.Granted grant = holder.take(ELECTION);
        Nonce place = queued.queue(ELECTION);

        cluster.revoke(queued.lease());
        holder.release(ELECTION, grant.nonce());

        await().atMost(SOON).until(() -> !queued.heard.losses().isEmpty());
        assertThatThrownBy(() -> queued.claim(ELECTION, place)).isInstanceOf(BackendException.class);
        assertThat(queued.heard.grants()).isEmpty();
        assertThat(cluster.range(keys.election(ELECTION))).isEmpty();
        assertThat(client().open(TTL).take(ELECTION).token()).isGreaterThan(grant.token());
        assertThat(queued.heard.grants()).isEmpty();
    }

    @Test
    void b19_a_waiting_candidate_whose_lease_lapsed_queues_again() throws Exception {
        Candidacy leader = stand(tenure("leader"));
        assertThat(leader.awaitLeading(SOON)).isTrue();
        Candidacy waiting = stand(tenure("waiting"));
        await().atMost(SOON).until(() -> cluster.range(keys.election(ELECTION)).size() == 2);
        KeyValue queued = newest();

        cluster.revoke(Long.toHexString(queued.lease()));

        await().atMost(SOON).until(() -> cluster.range(keys.election(ELECTION)).size() == 2);
        KeyValue again = newest();
        assertThat(again.lease()).isNotEqualTo(queued.lease());
        assertThat(waiting.isLeading()).isFalse();
        leader.close();
        assertThat(waiting.awaitLeading(SOON)).isTrue();
        assertThat(cluster.range(keys.election(ELECTION))).containsExactly(again);
        assertThat(waiting.term().orElseThrow().token().sequence()).isEqualTo(again.createRevision());
    }

    /** The entry of the one who came last. */
    private KeyValue newest() {
        return cluster.range(keys.election(ELECTION)).stream()
                .max(Comparator.comparingLong(KeyValue::createRevision))
                .orElseThrow();
    }

    @Test
    void b20_b30_a_watch_that_died_and_whose_revisions_were_compacted_costs_one_poll_at_most() throws Exception {
        EtcdProxy proxy = proxy();
        Candidacy leader = stand(tenure("leader"));
        assertThat(leader.awaitLeading(SOON)).isTrue();
        Tenure behind = tenure("etcd://" + proxy.endpoint() + "/" + folder, "waiting");
        Candidacy waiting = stand(behind);
        await().atMost(SOON).until(() -> cluster.range(keys.election(ELECTION)).size() == 2);

        proxy.cut();
        for (int i = 0; i < 5; i++) {
            cluster.post("/v3/kv/put", "{\"key\":\"" + EtcdCluster.base64(folder + "-noise") + "\"}");
        }
        long now =
                cluster.post("/v3/kv/range", "{\"key\":\"AA==\"}").at("header").number("revision");
        cluster.post("/v3/kv/compaction", "{\"revision\":\"" + now + "\"}");
        proxy.heal();
        long renewals = behind.stats().renewals();
        await().atMost(SOON).until(() -> behind.stats().renewals() >= renewals + HEARTBEATS);

        assertThat(cluster.range(keys.election(ELECTION)))
                .hasSize(2)
                .extracting(KeyValue::lease)
                .doesNotHaveDuplicates();
        KeyValue own = newest();
        leader.close();
        assertThat(waiting.awaitLeading(SOON)).isTrue();
        assertThat(cluster.range(keys.election(ELECTION))).containsExactly(own);
        assertThat(waiting.term().orElseThrow().token().sequence()).isEqualTo(own.createRevision());
    }

    @Test
    void b20_a_stream_that_became_half_open_is_left_with_its_server() throws Exception {
        EtcdProxy one = proxy(0);
        EtcdProxy two = proxy(1);
        Candidacy leader = stand(tenure("leader"));
        assertThat(leader.awaitLeading(SOON)).isTrue();
        String both = one.endpoint() + "," + two.endpoint();
        Candidacy waiting = stand(tenure("etcd://" + both + "/" + folder, "waiting"));
        await().atMost(SOON).until(() -> cluster.range(keys.election(ELECTION)).size() == 2);

        EtcdProxy used = one.isUsed() ? one : two;
        used.swallowAnswers();
        leader.close();

        assertThat(waiting.awaitLeading(SOON)).isTrue();
    }

    /** Its lease lasts much longer, and is renewed: nothing but the release removes the key. */
    @Test
    void b21_a_release_that_could_not_be_sent_is_sent_until_it_is_confirmed() throws Exception {
        EtcdProxy proxy = proxy();
        List<String> failed = new CopyOnWriteArrayList<>();
        Tenure tenure = Tenure.connect("etcd://" + proxy.endpoint() + "/" + folder)
                .ttl(SOON.multipliedBy(2))
                .open();
        opened.add(0, tenure);
        tenure.onEvent(event -> {
            if (event instanceof TenureEvent.StoreError trouble) {
                failed.add(trouble.doing());
            }
        });
        Candidacy leader = stand(tenure);
        assertThat(leader.awaitLeading(SOON)).isTrue();

        proxy.cut();
        CompletableFuture<Void> closing = CompletableFuture.runAsync(leader::close);
        await().atMost(SOON).until(() -> failed.contains("releasing " + ELECTION));
        assertThat(cluster.range(keys.election(ELECTION))).hasSize(1);
        proxy.heal();
        closing.join();

        await().atMost(SOON).until(() -> cluster.range(keys.election(ELECTION)).isEmpty());
    }

    @Test
    void b22_an_old_release_that_is_repeated_does_not_remove_the_entry_of_a_later_term() throws Exception {
        Client.Seat seat = client().open(TTL);
        ClaimReply.Granted first = seat.take(ELECTION);
        seat.release(ELECTION, first.nonce());
        ClaimReply.Granted second = seat.take(ELECTION);

        String key = keys.entry(ELECTION, Long.parseLong(seat.lease(), 16));
        QueueEntry place = new QueueEntry(keys, ELECTION, Long.parseLong(seat.lease(), 16));
        Txn late = place.deletion(first.token().sequence(), java.util.Optional.empty());
        EtcdClient other = EtcdClient.blocking(EtcdSettings.of(BackendUrl.parse(cluster.url(folder))));
        opened.add(other::close);
        other.await(late);

        assertThat(seat.release(ELECTION, first.nonce())).isEqualTo(ReleaseReply.NOT_HELD);
        assertThat(cluster.range(KeyRange.under(key))).hasSize(1);
        assertThat(seat.holds(ELECTION, second)).isTrue();
    }

    @Test
    void b23_after_its_key_was_deleted_a_claim_on_the_same_lease_wins_with_a_key_of_its_own_only() {
        Client.Seat seat = client().open(TTL);
        ClaimReply.Granted first = seat.take(ELECTION);

        cluster.delete(keys.election(ELECTION));
        ClaimReply.Granted second = seat.take(ELECTION);

        List<KeyValue> entries = cluster.range(keys.election(ELECTION));
        assertThat(entries).hasSize(1);
        assertThat(entries.get(0).createRevision()).isEqualTo(second.token().sequence());
        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(seat.holds(ELECTION, first)).isFalse();
    }

    /** Somebody else waits, so that a write of the old term would be a stale one. */
    @Test
    void b24_a_lease_that_is_revoked_early_is_told_before_two_more_renewals_and_nothing_stale_is_written()
            throws Exception {
        InMemoryFence ledger = new InMemoryFence("ledger");
        List<Leadership> duties = new CopyOnWriteArrayList<>();
        Tenure first = tenure("first");
        Candidacy leader = write(first, ledger, duties);
        assertThat(leader.awaitLeading(SOON)).isTrue();
        Term before = leader.term().orElseThrow();
        long lease = cluster.range(keys.election(ELECTION)).get(0).lease();
        Candidacy waiting = write(tenure("second"), ledger, duties);
        await().atMost(SOON).until(() -> cluster.range(keys.election(ELECTION)).size() == 2);
        await().atMost(SOON).until(() -> !ledger.accepted().isEmpty());
        long renewals = first.stats().renewals();

        cluster.revoke(Long.toHexString(lease));
        await().atMost(SOON).until(() -> leader.term().filter(before::equals).isEmpty());

        assertThat(first.stats().renewals() - renewals).isLessThanOrEqualTo(1);
        assertThat(duties.get(0).isValid()).isFalse();
        assertThat(waiting.awaitLeading(SOON)).isTrue();
        Term after = waiting.term().orElseThrow();
        assertThat(after.token()).isGreaterThan(before.token());
        await().atMost(SOON).until(() -> ledger.accepted().contains(after));
        assertThatThrownBy(() -> ledger.write(before, () -> {})).isInstanceOf(StaleTokenException.class);
        assertThat(ledger.accepted()).extracting(Term::token).isSorted();
    }

    private static Candidacy write(Tenure tenure, InMemoryFence ledger, List<Leadership> duties) {
        return tenure.elect(ELECTION.value()).fencedBy(ledger).perform(leadership -> {
            duties.add(leadership);
            while (leadership.isActive()) {
                ledger.write(leadership, () -> {});
                leadership.rest(Duration.ofMillis(10));
            }
        });
    }

    /** Nobody hears that the key of the session has gone: only who reads back what it owns can know. */
    @Test
    void b25_a_renewal_is_not_believed_where_this_version_may_acknowledge_it_for_a_dead_lease() throws Exception {
        EtcdProxy proxy = proxy();
        Client.Seat seat = client("etcd://" + proxy.endpoint() + "/" + folder).open(TTL);
        seat.take(ELECTION);
        assertThat(seat.renew()).isInstanceOf(RenewReply.Renewed.class);
        String session = keys.session(Long.parseLong(seat.lease(), 16));
        proxy.swallow(session);

        cluster.delete(KeyRange.under(session));
        await().atMost(SOON).until(() -> proxy.swallowed() > 0);

        assertThat(seat.heard.losses()).isEmpty();
        assertThat(seat.renew()).isInstanceOf(RenewReply.Gone.class);
    }

    @Test
    void b25_a_leader_whose_renewals_are_acknowledged_for_a_dead_lease_finds_out_and_leads_anew() throws Exception {
        EtcdProxy proxy = proxy();
        Candidacy leader = stand(tenure("etcd://" + proxy.endpoint() + "/" + folder, "leader"));
        assertThat(leader.awaitLeading(SOON)).isTrue();
        Term before = leader.term().orElseThrow();
        long lease = cluster.range(keys.election(ELECTION)).get(0).lease();
        proxy.swallow(keys.session(lease));

        cluster.delete(KeyRange.under(keys.session(lease)));
        await().atMost(SOON).until(() -> proxy.swallowed() > 0);

        await().atMost(SOON)
                .until(() -> leader.isLeading()
                        && leader.term()
                                .filter(term -> term.token().isNewerThan(before.token()))
                                .isPresent());
        assertThat(cluster.range(keys.election(ELECTION))).singleElement().matches(entry -> entry.lease() != lease);
    }

    @Test
    void b28_connections_that_end_with_or_without_an_error_are_opened_again_and_nothing_is_lost() throws Exception {
        EtcdProxy proxy = proxy();
        Tenure tenure = tenure("etcd://" + proxy.endpoint() + "/" + folder, "leader");
        Candidacy leader = stand(tenure);
        assertThat(leader.awaitLeading(SOON)).isTrue();
        long token = leader.term().orElseThrow().token().value();

        for (int i = 0; i < 10; i++) {
            long renewed = tenure.stats().renewals();
            if (i % 2 == 0) {
                proxy.finish();
            } else {
                proxy.reset();
            }
            await().atMost(SOON).until(() -> tenure.stats().renewals() > renewed);
        }

        assertThat(leader.term().orElseThrow().token().value()).isEqualTo(token);
    }

    /** Forward it may withdraw authority until the next renewal; it never gives any. */
    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void b28_a_deadline_is_not_moved_by_the_wall_clock_of_the_process(int hours) throws Exception {
        AtomicLong stepMillis = new AtomicLong();
        Host host = new AlteredHost() {
            @Override
            public long wallMillis() {
                return super.wallMillis() + stepMillis.get();
            }
        };
        EtcdProxy proxy = proxy();
        String url = "etcd://" + proxy.endpoint() + "/" + folder;
        Tenure tenure = Tenure.connect(url).host(host).ttl(TTL).open();
        opened.add(0, tenure);
        List<Leadership> duties = new CopyOnWriteArrayList<>();
        Candidacy leader = tenure.elect(ELECTION.value()).perform(leadership -> {
            duties.add(leadership);
            new CountDownLatch(1).await(); // until it is interrupted
        });
        assertThat(leader.awaitLeading(SOON)).isTrue();
        Term term = leader.term().orElseThrow();

        stepMillis.set(Duration.ofHours(hours).toMillis());
        proxy.finish();
        long renewals = tenure.stats().renewals();
        await().atMost(SOON).until(() -> tenure.stats().renewals() >= renewals + HEARTBEATS);
        assertThat(leader.term()).as("no term ends by it").contains(term);
        assertThat(duties).singleElement().matches(Leadership::isValid);
        assertThat(duties.get(0).remaining()).isLessThan(TTL);

        proxy.cut();
        stepMillis.addAndGet(-Duration.ofHours(1).toMillis());
        await().atMost(SOON).until(() -> !duties.get(0).isValid() && !leader.isLeading());
    }

    @Test
    void b29_an_observer_is_told_of_a_leader_that_was_elected_before_it_looked() throws Exception {
        Candidacy leader = stand(tenure("leader"));
        assertThat(leader.awaitLeading(SOON)).isTrue();

        try (LeaderWatch watch = tenure("observer").observe(ELECTION.value())) {
            assertThat(watch.await(SOON).orElseThrow().node()).isEqualTo("leader");
        }
    }

    @Test
    void b29_an_observer_is_told_of_a_leader_that_is_elected_while_it_begins_to_look() throws Exception {
        Tenure candidate = tenure("leader");
        Tenure observer = tenure("observer");
        for (int i = 0; i < 20; i++) {
            String election = "race-" + i;
            candidate.elect(election).perform(leadership -> leadership.rest(SOON));

            try (LeaderWatch watch = observer.observe(election)) {
                assertThat(watch.await(SOON).orElseThrow().node()).isEqualTo("leader");
            }
        }
    }

    @Test
    void b31_many_sessions_that_renew_and_close_at_once_end_without_a_deadlock_or_a_late_word() {
        Client.Seat holder = client().open(SOON);
        ClaimReply.Granted grant = holder.take(ELECTION);
        Client client = client();
        List<Client.Seat> seats = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Client.Seat seat = client.open(SOON); // nobody renews them while the others are opened
            seat.queue(ELECTION);
            seats.add(seat);
        }
        List<CompletableFuture<?>> calls = new ArrayList<>();
        for (Client.Seat seat : seats) {
            calls.add(client.send(seat.session::renew));
            calls.add(client.send(seat.session::close));
            calls.add(client.send(seat.session::renew));
        }

        calls.forEach(Client::reply);
        seats.forEach(seat -> seat.heard.forget());
        holder.release(ELECTION, grant.nonce());
        Client.Seat next = client.open(TTL);
        assertThat(next.take(ELECTION).token()).isGreaterThan(grant.token());

        assertThat(cluster.range(keys.election(ELECTION))).hasSize(1);
        assertThat(seats).allSatisfy(seat -> {
            assertThat(seat.heard.losses()).isEmpty();
            assertThat(seat.heard.grants()).isEmpty();
            assertThat(seat.heard.changes()).isEmpty();
        });
    }
}
