package dev.tenure.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.etcd.cluster.EtcdServers;
import dev.tenure.etcd.cluster.Proxy;
import dev.tenure.spi.ClaimReply;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** In a store to which nobody writes, a heartbeat is one request; and the first write makes sessions look again. */
class QuietTest {
    private static final ElectionName ELECTION = ElectionName.of("sweeper");
    private static final Duration TTL = Duration.ofSeconds(60);

    private final Keys keys = new Keys("quiet", false);
    private EtcdCluster cluster;
    private Proxy proxy;
    private Client client;

    @BeforeEach
    void start() throws Exception {
        cluster = EtcdCluster.start(EtcdServers.NEWEST, 1);
        proxy = new Proxy(cluster.nodes().get(0).clientPort());
        client = new Client("etcd://" + proxy.endpoint() + "/quiet?timeout=20s");
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        proxy.close();
        cluster.close();
    }

    @Test
    void nobody_looks_again_while_nothing_was_written() {
        Client.Seat seat = client.open(TTL);
        ClaimReply.Granted grant = seat.take(ELECTION);
        seat.renew();
        assertThat(seat.holds(ELECTION, grant)).isTrue();

        seat.renew();
        proxy.swallowAnswers();

        assertThat(seat.holds(ELECTION, grant)).as("without an answer").isTrue();
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
}
