package dev.tenure.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.etcd.client.KeyRange;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.client.ScriptedEtcd;
import dev.tenure.etcd.client.ScriptedEtcd.Script;
import dev.tenure.etcd.cluster.EtcdServers;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.RenewReply;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What real servers rarely do: they refuse calls, answer late or never, and lose what a watch should have told. */
@Tag("server")
class ScriptedServerTest {
    private static final ElectionName ELECTION = ElectionName.of("sweeper");
    private static final Duration TTL = Duration.ofSeconds(60);
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int MANY = 20;

    private final Keys keys = new Keys("scripted", false);
    private EtcdCluster cluster;
    private ScriptedEtcd etcd;
    private Client client;

    @BeforeEach
    void start() throws Exception {
        cluster = EtcdCluster.start(EtcdServers.NEWEST, 1);
        etcd = ScriptedEtcd.before(cluster.nodes().get(0).clientPort());
        client = new Client("etcd://" + etcd.endpoint() + "/scripted?timeout=20s");
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        etcd.close();
        cluster.close();
    }

    private void scriptTxn(Script script) {
        etcd.script(method -> method.equals("KV/Txn") ? script : new Script.Pass());
    }

    private static BackendException failureOf(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        return catchThrowableOfType(BackendException.class, call);
    }

    @Test
    void a_claim_that_fails_on_a_standing_connection_is_unknown_whether_it_was_applied_or_not() {
        Client.Seat seat = client.open(TTL);
        Nonce first = seat.nonce();
        Nonce second = seat.nonce();

        scriptTxn(new Script.Refuse(Status.UNAVAILABLE.withDescription("a stream was refused")));
        BackendException refused = failureOf(() -> seat.claim(ELECTION, first));
        scriptTxn(new Script.FailAfterwards(Status.UNAVAILABLE.withDescription("the connection broke")));
        BackendException broken = failureOf(() -> seat.claim(ELECTION, second));

        assertThat(refused.effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(broken.effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(cluster.range(keys.election(ELECTION))).hasSize(1);
        scriptTxn(new Script.Pass());
        assertThat(seat.claim(ELECTION, second))
                .as("asked again, with the same nonce")
                .isInstanceOf(ClaimReply.Granted.class);
    }

    @Test
    void a_refusal_by_etcd_itself_is_certain_unless_its_disk_is_full() {
        Client.Seat seat = client.open(TTL);

        scriptTxn(new Script.Refuse(Status.RESOURCE_EXHAUSTED.withDescription("etcdserver: too many requests")));
        BackendException ofEtcd = failureOf(() -> seat.claim(ELECTION, seat.nonce()));
        scriptTxn(new Script.Refuse(Status.RESOURCE_EXHAUSTED.withDescription("gRPC message exceeds maximum size")));
        BackendException ofTheLibrary = failureOf(() -> seat.claim(ELECTION, seat.nonce()));
        scriptTxn(new Script.Refuse(
                Status.RESOURCE_EXHAUSTED.withDescription("etcdserver: mvcc: database space exceeded")));
        BackendException ofFullServer = failureOf(() -> seat.claim(ELECTION, seat.nonce()));

        assertThat(ofEtcd.effect()).isEqualTo(Effect.NONE);
        assertThat(ofTheLibrary.effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(ofFullServer.effect()).as("applied before it is refused").isEqualTo(Effect.UNKNOWN);
    }

    @Test
    void a_renewal_whose_answer_is_late_moves_the_whole_session_to_a_new_connection() {
        Client.Seat seat = client.open(Duration.ofSeconds(5));
        await().atMost(SOON).until(() -> watches() >= 2);
        int before = watches();

        etcd.script(method -> method.equals("Lease/LeaseKeepAlive") ? new Script.DropAnswers() : new Script.Pass());
        CompletableFuture<RenewReply> late = client.send(seat.session::renew);

        await("watches are opened again").atMost(SOON).until(() -> watches() >= before + 2);
        etcd.script(method -> new Script.Pass());
        assertThat(seat.renew()).isInstanceOf(RenewReply.Renewed.class);
        assertThat(late).isNotDone();
    }

    /** All streams move to the new connection, and the one that had ended is opened there by itself. */
    @Test
    void a_watch_that_ends_with_its_server_is_opened_again_once() {
        AtomicInteger opened = new AtomicInteger();
        etcd.script(method -> method.equals("Watch/Watch") && opened.getAndIncrement() == 0
                ? new Script.FailAfterwards(Status.UNAVAILABLE)
                : new Script.Pass());

        client.open(TTL);

        await().during(Duration.ofMillis(500)).atMost(SOON).until(() -> watches() == 4);
    }

    private int watches() {
        return (int) etcd.calls().stream().filter("Watch/Watch"::equals).count();
    }

    @Test
    void many_that_wait_ask_again_with_one_read_and_never_write() {
        Client.Seat holder = client.open(TTL);
        Client.Seat standby = client.open(TTL);
        queue(holder, standby);
        catchUp(standby); // lists what is there, for it was written to just now
        int before = etcd.calls().size();

        catchUp(standby);

        List<String> asked = etcd.calls().subList(before, etcd.calls().size());
        assertThat(asked).containsExactly("KV/Range");
    }

    @Test
    void a_deletion_that_no_watch_told_of_is_found_by_the_next_look_at_all_elections() {
        Client.Seat standby = client.open(TTL);
        try (Client other = new Client(cluster.url("scripted"))) {
            Client.Seat holder = other.open(TTL);
            queue(holder, standby);
            catchUp(standby);

            etcd.script(method -> method.equals("Watch/Watch") ? new Script.DropAnswers() : new Script.Pass());
            holder.close();
        }
        catchUp(standby);

        await().atMost(SOON).until(() -> standby.heard.grants().size() >= MANY);
    }

    @Test
    void an_own_entry_whose_deletion_no_watch_told_of_is_found_by_the_next_look_too() {
        Client.Seat holder = client.open(TTL);
        Client.Seat standby = client.open(TTL);
        queue(holder, standby);
        catchUp(standby);

        etcd.script(method -> method.equals("Watch/Watch") ? new Script.DropAnswers() : new Script.Pass());
        cluster.delete(KeyRange.one(keys.entry(election(3), Long.parseLong(standby.lease(), 16))));
        catchUp(standby);

        assertThat(standby.heard.changes()).containsExactly(election(3));
    }

    private static ElectionName election(int number) {
        return ElectionName.of("many-" + number);
    }

    private static void queue(Client.Seat holder, Client.Seat standby) {
        for (int i = 0; i < MANY; i++) {
            holder.take(election(i));
            standby.queue(election(i));
        }
    }

    /** What the engine does instead of asking for every election. */
    private void catchUp(Client.Seat standby) {
        assertThat(client.ask(standby.session::catchUp)).isTrue();
    }
}
