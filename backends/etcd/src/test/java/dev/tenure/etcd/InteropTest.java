// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.Candidacy;
import dev.tenure.Leader;
import dev.tenure.Tenure;
import dev.tenure.etcd.client.KeyRange;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.cluster.EtcdServers;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.election.CampaignResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Candidates of other makes in the same election: leadership passes both ways, in order, and never overlaps. */
@Tag("server")
class InteropTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    private final EtcdCluster cluster = SharedClusters.of(EtcdServers.OLDEST);
    private final String election = "interop-" + UUID.randomUUID().toString().substring(0, 8);
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final AtomicLong begunNanos = new AtomicLong();
    private final AtomicLong endedNanos = new AtomicLong();

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable one : opened) {
            one.close();
        }
    }

    private Candidacy tenure(String node) {
        return tenure(node, "etcd://" + cluster.endpoints() + "?raw=true", election);
    }

    private Candidacy tenure(String node, String url, String name) {
        Tenure tenure =
                Tenure.connect(url).node(node).ttl(Duration.ofSeconds(3)).open();
        opened.add(tenure);
        return tenure.elect(name).perform(leadership -> {
            begunNanos.set(System.nanoTime());
            while (leadership.isActive()) {
                leadership.rest(Duration.ofSeconds(1));
            }
            endedNanos.set(System.nanoTime());
        });
    }

    private EtcdctlElect etcdctl(String name, String proposal) throws Exception {
        EtcdctlElect elect = new EtcdctlElect(cluster, name, proposal);
        opened.add(elect);
        return elect;
    }

    private void awaitCandidates(String name, int count) {
        await().atMost(SOON)
                .until(() -> cluster.range(KeyRange.under(name + "/")).size() == count);
    }

    @Test
    void leadership_passes_from_tenure_to_etcdctl_and_back_in_the_order_of_the_queue() throws Exception {
        Candidacy first = tenure("first");
        assertThat(first.awaitLeading(SOON)).isTrue();
        EtcdctlElect second = etcdctl(election, "by-hand");
        awaitCandidates(election, 2);
        Candidacy third = tenure("third");
        awaitCandidates(election, 3);
        EtcdctlElect fourth = etcdctl(election, "by-hand-again");
        awaitCandidates(election, 4);

        assertThat(second.isElected()).isFalse();
        first.close();
        await().atMost(SOON).until(second::isElected);
        assertThat(third.isLeading()).isFalse();

        second.resign();
        assertThat(third.awaitLeading(SOON)).isTrue();
        assertThat(fourth.isElected()).isFalse();

        third.close();
        await().atMost(SOON).until(fourth::isElected);
    }

    @Test
    void leadership_passes_from_jetcd_to_tenure_and_back() throws Exception {
        io.etcd.jetcd.Client jetcd = io.etcd.jetcd.Client.builder()
                .endpoints(cluster.nodes().stream()
                        .map(node -> "http://" + node.endpoint())
                        .toArray(String[]::new))
                .build();
        opened.add(jetcd);
        long lease = jetcd.getLeaseClient().grant(60).get().getID();
        ByteSequence name = ByteSequence.from(election, StandardCharsets.UTF_8);
        ByteSequence proposal = ByteSequence.from("jetcd", StandardCharsets.UTF_8);
        CampaignResponse elected =
                jetcd.getElectionClient().campaign(name, lease, proposal).get();
        Candidacy second = tenure("second");
        awaitCandidates(election, 2);
        long lease2 = jetcd.getLeaseClient().grant(60).get().getID();
        AtomicLong thirdNanos = new AtomicLong();
        CompletableFuture<CampaignResponse> third = jetcd.getElectionClient()
                .campaign(name, lease2, proposal)
                .thenApply(response -> {
                    thirdNanos.set(System.nanoTime());
                    return response;
                });
        awaitCandidates(election, 3);

        assertThat(second.isLeading()).isFalse();
        long resignedNanos = System.nanoTime();
        jetcd.getElectionClient().resign(elected.getLeader()).get();
        assertThat(second.awaitLeading(SOON)).isTrue();
        assertThat(second.term().orElseThrow().token().sequence())
                .isGreaterThan(elected.getLeader().getRevision());
        assertThat(third).isNotDone();

        long before = second.term().orElseThrow().token().sequence();
        second.close();
        assertThat(third.get().getLeader().getRevision()).isGreaterThan(before);
        assertThat(begunNanos.get() - resignedNanos)
                .as("begun after jetcd left")
                .isPositive();
        assertThat(thirdNanos.get() - endedNanos.get())
                .as("ended before jetcd was elected")
                .isPositive();
    }

    @Test
    void tenure_etcdctl_and_jetcd_stand_in_one_queue_and_lead_in_its_order() throws Exception {
        io.etcd.jetcd.Client jetcd = io.etcd.jetcd.Client.builder()
                .endpoints("http://" + cluster.nodes().get(0).endpoint())
                .build();
        opened.add(jetcd);
        Candidacy first = tenure("first");
        assertThat(first.awaitLeading(SOON)).isTrue();
        EtcdctlElect second = etcdctl(election, "by-hand");
        awaitCandidates(election, 2);
        CompletableFuture<CampaignResponse> third = jetcd.getElectionClient()
                .campaign(
                        ByteSequence.from(election, StandardCharsets.UTF_8),
                        jetcd.getLeaseClient().grant(60).get().getID(),
                        ByteSequence.from("jetcd", StandardCharsets.UTF_8));
        awaitCandidates(election, 3);
        Candidacy fourth = tenure("fourth");
        awaitCandidates(election, 4);

        first.close();
        await().atMost(SOON).until(second::isElected);
        assertThat(endedNanos.get()).as("its duty has ended").isPositive();
        assertThat(third).isNotDone();
        second.resign();
        CampaignResponse elected = third.get(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(fourth.isLeading()).isFalse();
        jetcd.getElectionClient().resign(elected.getLeader()).get();

        assertThat(fourth.awaitLeading(SOON)).isTrue();
        assertThat(fourth.term().orElseThrow().token().sequence())
                .isGreaterThan(elected.getLeader().getRevision());
    }

    @Test
    void a_plain_name_needs_no_raw_option_to_be_shared() throws Exception {
        Candidacy first = tenure("first", "etcd://" + cluster.endpoints() + "/apps", election);
        assertThat(first.awaitLeading(SOON)).isTrue();

        EtcdctlElect second = etcdctl("apps/" + election, "by-hand");
        awaitCandidates("apps/" + election, 2);
        assertThat(second.isElected()).isFalse();
        first.close();

        await().atMost(SOON).until(second::isElected);
    }

    @Test
    void a_leader_of_another_make_is_shown_with_what_it_proposed() throws Exception {
        EtcdctlElect leader = etcdctl(election, "host-7:8080");
        await().atMost(SOON).until(leader::isElected);

        try (Tenure observer =
                Tenure.connect("etcd://" + cluster.endpoints() + "?raw=true").open()) {
            Leader seen = observer.observe(election).await(SOON).orElseThrow();
            assertThat(seen.node()).isEqualTo("host-7:8080");
        }
    }

    @Test
    void a_leader_of_another_make_is_foreign_and_no_request_is_left_for_it() throws Exception {
        EtcdctlElect leader = etcdctl("apps/" + election, "by-hand");
        await().atMost(SOON).until(leader::isElected);

        try (Tenure operator =
                Tenure.connect("etcd://" + cluster.endpoints() + "/apps").open()) {
            Leader asked = operator.askToResign(election)
                    .toCompletableFuture()
                    .get(20, TimeUnit.SECONDS)
                    .orElseThrow();

            String lease = Keys.hex(cluster.range(KeyRange.under("apps/" + election + "/"))
                    .get(0)
                    .lease());
            assertThat(cluster.range(new Keys("apps", false).requests())).isEmpty();
            assertThat(asked.foreign().orElseThrow().stuck()).isFalse();
            assertThat(asked.foreign().orElseThrow().remedy())
                    .isEqualTo("stop its process, or: etcdctl lease revoke " + lease);
        }
    }

    @Test
    void a_key_without_a_lease_is_shown_as_a_leader_that_does_not_go_by_itself() throws Exception {
        String key = "apps/" + election + "/it's";
        cluster.post("/v3/kv/put", "{\"key\":\"" + EtcdCluster.base64(key) + "\"}");

        try (Tenure observer =
                Tenure.connect("etcd://" + cluster.endpoints() + "/apps").open()) {
            Leader seen = observer.leaderOf(election)
                    .toCompletableFuture()
                    .get(20, TimeUnit.SECONDS)
                    .orElseThrow();

            assertThat(seen.foreign())
                    .contains(new Leader.Foreign(true, "etcdctl del 'apps/" + election + "/it'\\''s'"));
        }
    }

    @Test
    void a_candidate_of_tenure_is_not_foreign() throws Exception {
        Candidacy candidacy = tenure("own", "etcd://" + cluster.endpoints() + "/apps", election);
        assertThat(candidacy.awaitLeading(SOON)).isTrue();

        try (Tenure observer =
                Tenure.connect("etcd://" + cluster.endpoints() + "/apps").open()) {
            Leader seen = observer.leaderOf(election)
                    .toCompletableFuture()
                    .get(20, TimeUnit.SECONDS)
                    .orElseThrow();

            assertThat(seen.foreign()).isEmpty();
        }
    }

    @Test
    void a_raw_name_that_would_lie_among_our_own_records_is_refused() {
        Client client = new Client("etcd://" + cluster.endpoints() + "?raw=true");
        opened.add(client);

        assertThat(org.assertj.core.api.Assertions.catchThrowable(
                        () -> client.ask(() -> client.backend().read(dev.tenure.ElectionName.of("tenure")))))
                .hasMessageContaining("would share keys with Tenure's own records");
    }
}
