package dev.tenure.zookeeper.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.zookeeper.ensemble.Ensemble;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** On real servers, beside ZooKeeper's own client. */
@Tag("server")
class WireOnServersTest {
    private static final int TIMEOUT_MILLIS = 10_000;

    private final String base = "/wire-" + UUID.randomUUID();
    private ZooKeeper official;
    private Client client;

    @BeforeEach
    void connect() throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        official = new ZooKeeper(Ensemble.shared().addresses(), 30_000, event -> connected.countDown());
        assertThat(connected.await(60, TimeUnit.SECONDS)).isTrue();
        official.create(
                base,
                "start".getBytes(StandardCharsets.UTF_8),
                ZooDefs.Ids.OPEN_ACL_UNSAFE,
                org.apache.zookeeper.CreateMode.PERSISTENT);
        String one = Ensemble.shared().addresses().split(",", -1)[0];
        client = new Client(Credentials.nobody(), TIMEOUT_MILLIS, Server.of(one));
        assertThat(client.nextTold()).isEqualTo("connected");
        Client.Answer<Boolean> synced = new Client.Answer<>();
        client.wire.send(List.of(Ask.sync(base, synced)));
        assertThat(synced.get()).isEqualTo(true);
    }

    @AfterEach
    void disconnect() throws Exception {
        client.close();
        official.close();
    }

    private static Stat asOurs(org.apache.zookeeper.data.Stat stat) {
        return new Stat(
                stat.getCzxid(), stat.getCtime(), stat.getVersion(), stat.getEphemeralOwner(), stat.getNumChildren());
    }

    @Test
    void a_znode_that_was_created_here_reads_the_same_there() throws Exception {
        Client.Answer<Ask.Created> answer = new Client.Answer<>();
        client.wire.send(List.of(Ask.create(
                base + "/é-",
                "ü".getBytes(StandardCharsets.UTF_8),
                Access.OPEN,
                CreateMode.EPHEMERAL_SEQUENTIAL,
                answer)));

        Ask.Created created = (Ask.Created) answer.get();

        org.apache.zookeeper.data.Stat stat = new org.apache.zookeeper.data.Stat();
        official.sync(base, (rc, path, context) -> {}, null);
        assertThat(new String(official.getData(created.path(), false, stat), StandardCharsets.UTF_8))
                .isEqualTo("ü");
        assertThat(created.path()).isEqualTo(base + "/é-0000000000");
        assertThat(created.stat()).isEqualTo(asOurs(stat));
        assertThat(stat.getEphemeralOwner()).isEqualTo(client.wire.sessionId());
    }

    @Test
    void a_transaction_does_all_or_nothing_and_says_what_stood_in_the_way() throws Exception {
        Client.Answer<List<OpResult>> refused = new Client.Answer<>();
        Client.Answer<List<OpResult>> done = new Client.Answer<>();
        Op create = Op.create(base + "/a", new byte[0], Access.OPEN, CreateMode.PERSISTENT);

        client.wire.send(List.of(
                Ask.write(List.of(create, Op.check(base + "/none", -1)), refused),
                Ask.write(
                        List.of(Op.check(base, 0), create, Op.setData(base, new byte[0], 0), Op.delete(base + "/a", 0)),
                        done)));

        assertThat(refused.get()).isEqualTo(List.of(new OpResult.Refused(Code.OK), new OpResult.Refused(Code.NONODE)));
        List<?> results = (List<?>) done.get();
        Stat stat = asOurs(official.exists(base, false));
        assertThat(results).hasSize(4).element(1).isEqualTo(new OpResult.Created(base + "/a"));
        assertThat(((OpResult.Changed) results.get(2)).stat().version()).isEqualTo(1);
        assertThat(stat.czxid())
                .isEqualTo(((OpResult.Changed) results.get(2)).stat().czxid());
    }

    @Test
    void reads_at_one_moment_each_have_their_own_result() throws Exception {
        Client.Answer<List<OpResult>> answer = new Client.Answer<>();

        client.wire.send(
                List.of(Ask.read(List.of(Op.getChildren(base), Op.getData(base), Op.getData(base + "/none")), answer)));

        assertThat(answer.get())
                .isEqualTo(List.of(
                        new OpResult.Children(List.of()),
                        new OpResult.Data("start", asOurs(official.exists(base, false))),
                        new OpResult.Refused(Code.NONODE)));
    }

    @Test
    void who_watches_all_below_hears_it_also_after_a_reconnection() throws Exception {
        BlockingQueue<Event> events = new LinkedBlockingQueue<>();
        Client.Answer<Boolean> watched = new Client.Answer<>();
        client.wire.watchAll(base, events::add, watched);
        assertThat(watched.get()).isEqualTo(true);

        client.wire.turnToAnother();
        assertThat(client.nextTold()).isEqualTo("connected");
        Client.Answer<Boolean> settled = new Client.Answer<>();
        client.wire.send(List.of(Ask.sync(base, settled)));
        assertThat(settled.get()).isEqualTo(true);
        official.create(
                base + "/new", new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, org.apache.zookeeper.CreateMode.PERSISTENT);

        assertThat(events.poll(60, TimeUnit.SECONDS)).isEqualTo(new Event(Event.Type.CREATED, base + "/new"));
    }

    @Test
    void a_session_that_is_closed_takes_its_znodes_along() throws Exception {
        Client.Answer<Ask.Created> created = new Client.Answer<>();
        client.wire.send(List.of(
                Ask.create(base + "/gone-", new byte[0], Access.OPEN, CreateMode.EPHEMERAL_SEQUENTIAL, created)));
        created.get();
        Client.Answer<Boolean> closed = new Client.Answer<>();

        client.wire.close(closed);

        assertThat(closed.get()).isEqualTo(true);
        official.sync(base, (rc, path, context) -> {}, null);
        assertThat(official.getChildren(base, false)).isEmpty();
    }
}
