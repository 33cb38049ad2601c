// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenure.Candidacy;
import dev.tenure.ElectionName;
import dev.tenure.NotLeadingException;
import dev.tenure.StaleTokenException;
import dev.tenure.Tenure;
import dev.tenure.Term;
import dev.tenure.consul.servers.ConsulCluster;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.RenewReply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What operators and other programs can do to keys and sessions, and what a fence in the same store makes of it. */
@Tag("server")
class ByHandTest {
    private static final ElectionName ELECTION = ElectionName.of("sweeper");
    private static final Duration TTL = Duration.ofSeconds(20);
    private static final Duration SOON = Duration.ofSeconds(15);

    private final ConsulCluster cluster = SharedServers.cluster();
    private final String prefix = "hand-" + UUID.randomUUID().toString().substring(0, 8);
    private final Client client = new Client(cluster.url(prefix));
    private final ConsulFence fence = ConsulFence.beside(cluster.url(prefix), "ledger");

    @AfterEach
    void close() {
        client.close();
    }

    private static Term term(ClaimReply.Granted grant) {
        return new Term(ELECTION, grant.token(), grant.nonce(), "holder");
    }

    private void write(Term term, String value) throws Exception {
        fence.write(term, List.of(ConsulFence.put(prefix + "-balance", value)));
    }

    private List<String> balance() {
        return Keys.under(cluster, prefix + "-balance").stream()
                .map(KeyValueEntry::value)
                .toList();
    }

    private void destroy(String session) {
        cluster.send("PUT", "/v1/session/destroy/" + session, "");
    }

    @Test
    void a_session_has_no_health_checks_and_no_lock_delay() {
        Client.Seat seat = client.open(TTL);

        Map<String, String> session = Keys.sessions(cluster).stream()
                .filter(one -> seat.id().equals(one.get("ID")))
                .findFirst()
                .orElseThrow();
        String shown = cluster.send("GET", "/v1/session/info/" + seat.id() + "?consistent", "")
                .body();

        assertThat(session).containsEntry("TTL", "20000ms").containsEntry("Behavior", "release");
        assertThat(session).containsEntry("LockDelay", "0");
        assertThat(shown).contains("\"NodeChecks\":[]").contains("\"ServiceChecks\":[]");
    }

    @Test
    void with_a_standoff_consul_keeps_everybody_away_for_a_ttl_after_a_session_was_ended() {
        Duration ttl = Duration.ofSeconds(2);
        try (Client careful = new Client(cluster.url(prefix) + "?standoff=on")) {
            Client.Seat holder = careful.open(ttl);
            holder.take(ELECTION);
            Client.Seat rival = client.open(TTL);

            long endedNanos = System.nanoTime();
            destroy(holder.id());
            await().atMost(SOON).until(() -> rival.claim(ELECTION, rival.nonce()) instanceof ClaimReply.Granted);

            assertThat(Duration.ofNanos(System.nanoTime() - endedNanos))
                    .isGreaterThan(ttl.multipliedBy(9).dividedBy(10));
        }
    }

    @Test
    void a_session_that_was_ended_by_hand_is_gone_with_all_its_claims() {
        Client.Seat holder = client.open(TTL);
        ClaimReply.Granted grant = holder.take(ELECTION);

        destroy(holder.id());

        assertThat(holder.holds(ELECTION, grant)).isFalse();
        assertThat(holder.renew()).isInstanceOf(RenewReply.Gone.class);
        assertThat(client.open(TTL).take(ELECTION).token()).isGreaterThan(grant.token());
    }

    @Test
    void a_leader_whose_session_was_ended_by_hand_stops_and_stands_again() {
        try (Tenure tenure = Tenure.connect(cluster.url(prefix)).ttl(TTL).open()) {
            Candidacy candidacy = tenure.elect("sweeper").perform(leadership -> leadership.rest(SOON));
            await().atMost(SOON).until(candidacy::isLeading);
            String session =
                    Keys.under(cluster, prefix + "/sweeper/.lock").get(0).session();
            long token = Keys.under(cluster, prefix + "/sweeper/.lock").get(0).index();

            destroy(session);

            await().atMost(SOON)
                    .until(() -> Keys.under(cluster, prefix + "/sweeper/.lock").stream()
                            .anyMatch(lock -> !lock.session().isEmpty() && lock.index() > token));
            await().atMost(SOON).until(candidacy::isLeading);
        }
    }

    @Test
    void a_lock_that_was_deleted_by_hand_is_lost_and_the_next_token_is_higher() {
        Client.Seat holder = client.open(TTL);
        ClaimReply.Granted grant = holder.take(ELECTION);

        cluster.send("DELETE", "/v1/kv/" + prefix + "?recurse", "");

        assertThat(holder.holds(ELECTION, grant)).isFalse();
        assertThat(holder.take(ELECTION).token()).isGreaterThan(grant.token());
    }

    @Test
    void a_value_that_was_overwritten_by_hand_ends_the_term_although_the_session_keeps_the_lock() {
        Client.Seat holder = client.open(TTL);
        ClaimReply.Granted grant = holder.take(ELECTION);

        cluster.send("PUT", "/v1/kv/" + prefix + "/sweeper/.lock", "mine now");

        assertThat(holder.holds(ELECTION, grant)).isFalse();
        assertThat(holder.release(ELECTION, grant.nonce())).isEqualTo(dev.tenure.spi.ReleaseReply.RELEASED);
    }

    @Test
    void a_key_of_a_semaphore_is_not_taken_for_a_lock() {
        cluster.send("PUT", "/v1/kv/" + prefix + "/sweeper/.lock?flags=16210313421097356768", "{}");
        Client.Seat seat = client.open(TTL);

        assertThatThrownBy(() -> seat.take(ELECTION))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("belongs to a semaphore");
    }

    @Test
    void a_leader_writes_through_its_fence_until_its_lock_is_gone_although_nobody_has_raised_it() throws Exception {
        Client.Seat leader = client.open(TTL);
        Term term = term(leader.take(ELECTION));
        fence.raise(term);
        write(term, "7");

        destroy(leader.id());

        assertThatThrownBy(() -> write(term, "8"))
                .isInstanceOf(NotLeadingException.class)
                .hasMessageContaining("its lock in Consul is gone");
        assertThat(balance()).containsExactly("7");
    }

    @Test
    void a_zombie_that_ignores_its_end_changes_nothing() throws Exception {
        Client.Seat zombie = client.open(TTL);
        Term old = term(zombie.take(ELECTION));
        write(old, "0");
        for (int round = 1; round <= 20; round++) {
            Term late = old;
            destroy(zombie.id());
            Client.Seat next = client.open(TTL);
            Term successor = term(next.take(ELECTION));
            assertThatThrownBy(() -> write(late, "stale")).isInstanceOf(NotLeadingException.class);
            write(successor, "" + round);
            assertThatThrownBy(() -> write(late, "stale")).isInstanceOf(StaleTokenException.class);
            assertThat(balance()).containsExactly("" + round);
            zombie = next;
            old = successor;
        }
    }
}
