// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import static dev.tenure.internal.lease.Adapter.ELECTION;
import static dev.tenure.internal.lease.Adapter.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore;
import dev.tenure.fakes.MemoryStore.Fate;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.RenewReply;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One heartbeat for all claims, and the operator's requests that travel with it. */
class RenewalTest {
    private final ManualHost host = new ManualHost();
    private final MemoryStore store = new MemoryStore(host);
    private final Adapter a = new Adapter("a", host, store);
    private final Adapter b = new Adapter("b", host, store);
    private BackendSession session;
    private String key = "";

    @BeforeEach
    void open() {
        session = a.open();
        key = "s/" + session.id();
        store.calls();
    }

    private SessionRecord record() {
        return SessionRecord.of(store.peek(key));
    }

    @Test
    void a_session_has_a_record_with_its_node_and_ttl() {
        assertThat(record()).isEqualTo(SessionRecord.first(session.id(), "a", TTL));
        assertThat(session.ttl()).isEqualTo(TTL);
    }

    @Test
    void every_session_has_an_id_of_its_own() {
        assertThat(a.open().id()).isNotEqualTo(session.id());
    }

    @Test
    void a_renewal_is_one_write_whatever_the_number_of_claims() {
        for (int i = 0; i < 50; i++) {
            a.await(session.claim(new dev.tenure.spi.ClaimRequest(
                    ElectionName.of("e" + i), new dev.tenure.Nonce(5, i), 0, "a", dev.tenure.LeaderMetadata.EMPTY)));
        }
        store.calls();

        assertThat(a.await(session.renew())).isEqualTo(new RenewReply.Renewed(TTL));

        assertThat(store.calls()).containsExactly("set " + key);
        assertThat(record().beat()).isEqualTo(1);
    }

    @Test
    void where_the_store_notifies_every_second_renewal_looks_for_requests_that_were_not_notified() {
        a.granted(session);
        a.await(session.renew());
        store.calls();

        a.await(session.renew());

        assertThat(store.calls()).containsExactlyInAnyOrder("list o/", "set " + key);
    }

    @Test
    void where_the_store_is_polled_every_renewal_looks_for_requests() {
        a.granted(session);
        store.polls();
        store.calls();

        a.await(session.renew());

        assertThat(store.calls()).containsExactlyInAnyOrder("list o/", "set " + key);
    }

    @Test
    void who_holds_nothing_looks_for_no_requests() {
        store.polls();
        ClaimReply.Granted held = a.granted(session);
        a.await(session.release(Adapter.ELECTION, held.nonce()));
        store.calls();

        a.await(session.renew());

        assertThat(store.calls()).containsExactly("set " + key);
    }

    @Test
    void a_lost_beat_is_recognised_as_its_own() {
        store.fate("set " + key, Fate.LOSE_REPLY);
        session.renew();
        host.settle();
        assertThat(record().beat()).isEqualTo(1);

        assertThat(a.await(session.renew())).isEqualTo(new RenewReply.Renewed(TTL));

        assertThat(record().beat()).isEqualTo(2);
        assertThat(record().state()).isEqualTo(SessionRecord.State.OPEN);
    }

    @Test
    void several_lost_beats_in_a_row_are_recognised_as_well() {
        for (int i = 0; i < 4; i++) {
            store.fate("set " + key, Fate.FAIL_APPLIED);
            a.failure(session.renew());
        }

        assertThat(a.await(session.renew())).isEqualTo(new RenewReply.Renewed(TTL));
    }

    @Test
    void a_late_beat_does_not_disturb_the_next_ones() {
        store.fate("set " + key, Fate.DELAY);
        CompletionStage<RenewReply> late = session.renew();
        host.settle();
        a.await(session.renew());

        store.deliverDelayed();

        assertThat(a.isAnswered(late)).isTrue();
        assertThat(a.await(session.renew())).isEqualTo(new RenewReply.Renewed(TTL));
    }

    @Test
    void a_renewal_whose_outcome_is_unknown_fails_as_unknown() {
        store.fate("set " + key, Fate.FAIL_UNKNOWN);

        assertThat(a.failure(session.renew()).effect()).isEqualTo(BackendException.Effect.UNKNOWN);
    }

    @Test
    void a_removed_record_means_that_the_session_is_gone() {
        store.remove(key);

        RenewReply reply = a.await(session.renew());

        assertThat(reply)
                .isInstanceOfSatisfying(
                        RenewReply.Gone.class, gone -> assertThat(gone.why()).contains("removed"));
        assertThat(store.peek(key).isPresent()).isFalse();
    }

    @Test
    void a_record_older_than_one_that_was_acknowledged_means_that_the_store_has_lost_writes() {
        a.await(session.renew());
        String acknowledgedFirst = store.peek(key).value();
        a.await(session.renew());
        store.put(key, acknowledgedFirst);

        RenewReply reply = a.await(session.renew());

        assertThat(reply)
                .isInstanceOfSatisfying(
                        RenewReply.Gone.class, gone -> assertThat(gone.why()).contains("lost writes"));
    }

    @Test
    void a_corrupt_record_is_neither_renewed_nor_overwritten() {
        store.put(key, "hello");

        assertThat(a.failure(session.renew()).kind()).isEqualTo(BackendException.Kind.CORRUPT);

        assertThat(store.peek(key).value()).isEqualTo("hello");
    }

    @Test
    void an_operators_request_that_was_not_notified_is_told_with_one_of_the_next_two_renewals() {
        ClaimReply.Granted held = a.granted(session);
        OperatorRequest request = new OperatorRequest(ELECTION, OperatorRequest.Verb.RESIGN, held.token(), "ops");
        store.mute();
        b.await(b.backend.request(request));
        assertThat(a.heard.requested).isEmpty();

        a.await(session.renew());
        a.await(session.renew());

        assertThat(a.heard.requested).containsExactly(request);
    }

    @Test
    void an_operators_request_is_told_at_once_where_the_store_notifies() {
        OperatorRequest request =
                new OperatorRequest(ELECTION, OperatorRequest.Verb.RESIGN, new FencingToken(1), "ops");

        b.await(b.backend.request(request));

        assertThat(a.heard.requested).containsExactly(request);
    }

    @Test
    void a_damaged_request_does_not_hide_the_others() {
        store.put("o/aaa", "hello");
        OperatorRequest request =
                new OperatorRequest(ELECTION, OperatorRequest.Verb.RESIGN, new FencingToken(1), "ops");

        b.await(b.backend.request(request));

        assertThat(a.heard.requested).containsExactly(request);
    }

    @Test
    void a_request_that_was_obeyed_is_cleared_but_not_one_that_came_later() {
        OperatorRequest first = new OperatorRequest(ELECTION, OperatorRequest.Verb.RESIGN, new FencingToken(1), "ops");
        OperatorRequest second = new OperatorRequest(ELECTION, OperatorRequest.Verb.RESIGN, new FencingToken(2), "ops");
        b.await(b.backend.request(first));
        b.await(b.backend.request(second));

        a.await(session.clear(first));
        assertThat(store.keys("o/")).hasSize(1);
        a.await(session.clear(second));
        assertThat(store.keys("o/")).isEmpty();
        a.await(session.clear(second));
    }

    @Test
    void a_session_that_was_given_up_looks_for_no_requests() {
        session.abandon();

        b.await(b.backend.request(
                new OperatorRequest(ELECTION, OperatorRequest.Verb.RESIGN, new FencingToken(1), "ops")));

        assertThat(a.heard.requested).isEmpty();
    }

    @Test
    void a_session_hears_of_changes_and_not_of_keys_that_are_no_elections() {
        b.granted(b.open());
        store.put("c/NOT-OURS", "x");
        host.settle();

        assertThat(a.heard.changed).containsOnly(ELECTION);
    }
}
