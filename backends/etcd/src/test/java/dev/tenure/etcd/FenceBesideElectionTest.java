// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ElectionName;
import dev.tenure.NotLeadingException;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import dev.tenure.etcd.client.KeyRange;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.cluster.EtcdServers;
import dev.tenure.spi.ClaimReply;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Writes that are applied only while the entry of their term is in the queue, whoever took it away. */
@Tag("server")
class FenceBesideElectionTest {
    private static final ElectionName ELECTION = ElectionName.of("sweeper");
    private static final Duration TTL = Duration.ofSeconds(20);

    private final EtcdCluster cluster = SharedClusters.of(EtcdServers.OLDEST);
    private final String folder = "beside-" + UUID.randomUUID().toString().substring(0, 8);
    private final Client client = new Client(cluster.url(folder));
    private final EtcdFence fence = EtcdFence.beside(cluster.url(folder), "ledger");

    @AfterEach
    void close() {
        client.close();
    }

    private static Term term(ClaimReply.Granted grant) {
        return new Term(ELECTION, grant.token(), grant.nonce(), "holder");
    }

    private void write(Term term, String value) throws Exception {
        fence.write(term, List.of(EtcdFence.put(folder + "-balance", value)));
    }

    private List<String> balance() {
        return cluster.range(KeyRange.under(folder + "-balance")).stream()
                .map(KeyValue::value)
                .toList();
    }

    @Test
    void a_leader_writes_while_others_wait_behind_it() throws Exception {
        Term term = term(client.open(TTL).take(ELECTION));
        client.open(TTL).queue(ELECTION);
        fence.raise(term);

        write(term, "7");

        assertThat(balance()).containsExactly("7");
    }

    @Test
    void a_write_is_refused_once_the_entry_was_deleted_although_nobody_has_raised_the_fence() throws Exception {
        Term term = term(client.open(TTL).take(ELECTION));
        fence.raise(term);
        write(term, "7");

        cluster.delete(new Keys(folder, false).election(ELECTION));

        assertThatThrownBy(() -> write(term, "8"))
                .isInstanceOf(NotLeadingException.class)
                .hasMessageContaining("its entry in the store is gone");
        assertThat(balance()).containsExactly("7");
    }

    @Test
    void a_write_is_refused_once_the_lease_was_revoked_although_others_stand_in_the_queue() throws Exception {
        Client.Seat leader = client.open(TTL);
        Term term = term(leader.take(ELECTION));
        fence.raise(term);
        client.open(TTL).queue(ELECTION);

        cluster.revoke(leader.lease());

        assertThatThrownBy(() -> write(term, "8")).isInstanceOf(NotLeadingException.class);
        assertThat(balance()).isEmpty();
    }

    @Test
    void a_term_whose_entry_is_gone_cannot_raise_the_fence_any_more() throws Exception {
        Client.Seat leader = client.open(TTL);
        Term late = term(leader.take(ELECTION));
        leader.release(ELECTION, late.nonce());
        Term next = term(client.open(TTL).take(ELECTION));

        assertThatThrownBy(() -> fence.raise(late)).isInstanceOf(NotLeadingException.class);

        write(next, "9");
        assertThatThrownBy(() -> fence.raise(late)).isInstanceOf(StaleTokenException.class);
        assertThat(balance()).containsExactly("9");
    }
}
