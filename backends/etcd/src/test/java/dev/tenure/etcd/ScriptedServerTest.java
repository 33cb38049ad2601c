// SPDX-License-Identifier: Apache-2.0
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
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.support.TermRecord;
import io.grpc.Status;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
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

    private static final Status BROKEN = Status.UNAVAILABLE.withDescription("the connection broke");

    /** One script for each transaction from now on; those after the last one pass. */
    private void scriptTxns(Script... scripts) {
        int before = txns();
        etcd.script(method -> {
            int index = txns() - before - 1;
            boolean scripted = method.equals("KV/Txn") && 0 <= index && index < scripts.length;
            return scripted ? scripts[index] : new Script.Pass();
        });
    }

    private int txns() {
        return Collections.frequency(etcd.calls(), "KV/Txn");
    }

    @Test
    void a_release_after_one_that_failed_removes_what_that_one_had_found() {
        Client.Seat seat = client.open(TTL);
        Nonce nonce = seat.nonce();
        scriptTxns(new Script.FailAfterwards(BROKEN), new Script.Pass(), new Script.Refuse(BROKEN));

        failureOf(() -> seat.claim(ELECTION, nonce));
        BackendException failed = failureOf(() -> seat.release(ELECTION, nonce));
        boolean stood = !cluster.range(keys.election(ELECTION)).isEmpty();
        ReleaseReply again = seat.release(ELECTION, nonce);

        assertThat(failed.effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(stood).isTrue();
        assertThat(again).isEqualTo(ReleaseReply.RELEASED);
        assertThat(cluster.range(keys.election(ELECTION))).isEmpty();
    }

    @Test
    void a_late_release_leaves_the_entry_of_a_newer_claim_to_the_release_of_that_one() {
        Client.Seat seat = client.open(TTL);
        Nonce first = seat.nonce();
        Nonce second = seat.nonce();
        scriptTxns(new Script.Refuse(BROKEN), new Script.FailAfterwards(BROKEN));

        failureOf(() -> seat.claim(ELECTION, first));
        failureOf(() -> seat.claim(ELECTION, second));
        ReleaseReply late = seat.release(ELECTION, first);
        ReleaseReply newest = seat.release(ELECTION, second);

        assertThat(late).isEqualTo(ReleaseReply.NOT_HELD);
        assertThat(newest).isEqualTo(ReleaseReply.RELEASED);
        assertThat(cluster.range(keys.election(ELECTION))).isEmpty();
    }

    @Test
    void an_overtaken_claim_that_was_applied_is_released_although_the_newer_one_has_failed() {
        Client.Seat seat = client.open(TTL);
        Nonce second = seat.nonce();
        CompletableFuture<Void> letGo = new CompletableFuture<>();
        scriptTxns(
                new Script.AnswerLater(letGo),
                new Script.Refuse(Status.RESOURCE_EXHAUSTED.withDescription("etcdserver: too many requests")));

        CompletableFuture<ClaimReply> overtaken = seat.send(ELECTION, seat.nonce());
        await().atMost(SOON).until(() -> !cluster.range(keys.election(ELECTION)).isEmpty());
        BackendException newer = failureOf(() -> seat.claim(ELECTION, second));
        letGo.complete(null);
        await().atMost(SOON).until(overtaken::isDone);
        ReleaseReply release = seat.release(ELECTION, second);

        assertThat(newer.effect()).isEqualTo(Effect.NONE);
        assertThat(overtaken).isCompletedExceptionally();
        assertThat(release).isEqualTo(ReleaseReply.RELEASED);
        assertThat(cluster.range(keys.election(ELECTION))).isEmpty();
    }

    /** The claim was sent twice, so the release looks first; and the record of the term was lost on its way. */
    @Test
    void a_release_that_looks_records_the_end_of_a_term_that_was_not_recorded() {
        Client.Seat seat = client.open(TTL);
        Nonce nonce = seat.nonce();
        int before = txns();
        scriptTxns(
                new Script.FailAfterwards(BROKEN),
                new Script.Pass(), // finds what was created
                new Script.Pass(), // proves that it is at the front
                new Script.Refuse(BROKEN));

        failureOf(() -> seat.claim(ELECTION, nonce));
        ClaimReply.Granted grant = (ClaimReply.Granted) seat.claim(ELECTION, nonce);
        await().atMost(SOON).until(() -> txns() == before + 4);
        boolean recorded = recorded().isPresent();
        ReleaseReply release = seat.release(ELECTION, nonce);

        assertThat(recorded).isFalse();
        assertThat(release).isEqualTo(ReleaseReply.RELEASED);
        assertThat(recorded()).hasValueSatisfying(term -> {
            assertThat(term.token()).isEqualTo(grant.token());
            assertThat(term.held()).isFalse();
        });
    }

    private Optional<TermRecord> recorded() {
        return cluster.range(KeyRange.one(keys.term(ELECTION))).stream()
                .flatMap(stored -> stored.term().stream())
                .findFirst();
    }

    @Test
    void a_release_whose_answer_is_late_does_not_make_the_session_forget_a_newer_entry() {
        Client.Seat seat = client.open(TTL);
        Nonce first = seat.nonce();
        CompletableFuture<Void> letGo = new CompletableFuture<>();
        KeyRange guard = KeyRange.one(keys.session(Long.parseLong(seat.lease(), 16)));
        long moved = cluster.range(guard).get(0).modRevision();
        scriptTxns(new Script.Refuse(BROKEN), new Script.AnswerLater(letGo));

        failureOf(() -> seat.claim(ELECTION, first));
        CompletableFuture<ReleaseReply> late = client.send(() -> seat.session.release(ELECTION, first));
        await().atMost(SOON).until(() -> cluster.range(guard).get(0).modRevision() > moved);
        ClaimReply.Granted newer = seat.take(ELECTION);
        letGo.complete(null);

        assertThat(Client.reply(late)).isEqualTo(ReleaseReply.NOT_HELD);
        assertThat(seat.release(ELECTION, newer.nonce())).isEqualTo(ReleaseReply.RELEASED);
        assertThat(cluster.range(keys.election(ELECTION))).isEmpty();
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
    void many_that_wait_list_all_again_after_their_server_was_left() {
        Client.Seat holder = client.open(TTL);
        Client.Seat standby = client.open(TTL);
        queue(holder, standby);
        catchUp(standby);
        catchUp(standby); // now nothing is written any more
        etcd.script(method -> method.equals("Lease/LeaseKeepAlive") ? new Script.Refuse(BROKEN) : new Script.Pass());
        failureOf(standby::renew);
        int before = ranges();

        catchUp(standby);

        assertThat(ranges() - before).as("its revision, and all keys").isEqualTo(2);
    }

    private int ranges() {
        return Collections.frequency(etcd.calls(), "KV/Range");
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

    @Test
    void a_watch_that_has_lost_a_deletion_is_opened_again_by_the_poll_that_finds_it() {
        Client.Seat standby = client.open(TTL);
        try (Client other = new Client(cluster.url("scripted"))) {
            Client.Seat holder = other.open(TTL);
            ClaimReply.Granted before = holder.take(ELECTION);
            Nonce place = standby.queue(ELECTION);
            etcd.script(method -> method.equals("Watch/Watch") ? new Script.DropAnswers() : new Script.Pass());
            holder.release(ELECTION, before.nonce());
            int watches = watches();

            assertThat(standby.claim(ELECTION, place)).isInstanceOf(ClaimReply.Granted.class);

            await().atMost(SOON).until(() -> watches() == watches + 1);
        }
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
