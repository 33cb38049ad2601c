// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import static dev.tenure.internal.lease.Adapter.ELECTION;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore;
import dev.tenure.fakes.MemoryStore.Fate;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.ReleaseReply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A session whose own record is gone carries no claim: whoever comes next would not wait for it. */
class OwnSessionTest {
    private static final String CLAIM = ClaimRecord.key(ELECTION);

    private final ManualHost host = new ManualHost();
    private final MemoryStore store = new MemoryStore(host);
    private final Adapter a = new Adapter("a", host, store);
    private final Adapter b = new Adapter("b", host, store);
    private BackendSession sa;
    private String key = "";

    @BeforeEach
    void open() {
        sa = a.open();
        key = "s/" + sa.id();
        store.calls();
    }

    private void wipe() {
        List.copyOf(store.keys("")).forEach(store::remove);
    }

    @Test
    void nothing_is_granted_just_after_the_store_was_wiped() {
        wipe();

        BackendException refused = a.failure(sa.claim(Adapter.request()));

        assertThat(refused.effect()).isEqualTo(BackendException.Effect.UNKNOWN);
        assertThat(a.heard.lost).singleElement().asString().contains("removed");
        assertThat(b.granted(b.open()).takeover()).isTrue();
    }

    @Test
    void nothing_is_granted_when_the_store_is_wiped_between_the_look_and_the_claim() {
        store.fate("set " + CLAIM, Fate.DELAY);
        CompletionStage<ClaimReply> claim = sa.claim(Adapter.request());
        host.settle();
        wipe();

        store.deliverDelayed();

        assertThat(a.failure(claim).effect()).isEqualTo(BackendException.Effect.UNKNOWN);
        assertThat(a.heard.lost).hasSize(1);
    }

    @Test
    void a_session_that_was_revoked_while_it_queued_is_granted_nothing() {
        BackendSession sb = b.open();
        ClaimReply.Granted held = b.granted(sb);
        a.await(sa.claim(Adapter.request()));
        store.remove(key);
        b.await(sb.release(ELECTION, held.nonce()));

        a.failure(sa.claim(Adapter.request()));

        assertThat(a.heard.lost).hasSize(1);
    }

    @Test
    void a_token_that_was_written_has_been_seen_also_if_it_is_never_known_whether_it_was_granted() {
        store.fate("read " + key, Fate.DROP);

        CompletionStage<ClaimReply> claim = sa.claim(Adapter.request());

        assertThat(a.isAnswered(claim)).isFalse();
        assertThat(a.heard.tokenMax).isEqualTo(Adapter.claim(store.peek(CLAIM)).token());
    }

    @Test
    void a_session_whose_record_went_back_is_granted_nothing() {
        a.await(sa.renew());
        String acknowledgedFirst = store.peek(key).value();
        a.await(sa.renew());
        store.put(key, acknowledgedFirst);

        a.failure(sa.claim(Adapter.request()));

        assertThat(a.heard.lost).singleElement().asString().contains("lost writes");
    }

    @Test
    void a_claim_that_is_made_again_is_not_believed_either_once_the_session_is_gone() {
        ClaimRequest request = Adapter.request();
        store.fate("set " + CLAIM, Fate.FAIL_APPLIED);
        a.failure(sa.claim(request));
        store.remove(key);

        a.failure(sa.claim(request));

        assertThat(a.heard.lost).hasSize(1);
    }

    @Test
    void a_claim_that_is_released_while_it_looks_at_its_record_is_not_told_as_granted() {
        store.fate("read " + key, Fate.DELAY);
        ClaimRequest request = Adapter.request();
        CompletionStage<ClaimReply> claim = sa.claim(request);
        host.settle();
        assertThat(a.await(sa.release(ELECTION, request.nonce()))).isEqualTo(ReleaseReply.RELEASED);

        store.deliverDelayed();

        assertThat(a.failure(claim).effect()).isEqualTo(BackendException.Effect.UNKNOWN);
        assertThat(Adapter.claim(store.peek(CLAIM)).state()).isEqualTo(ClaimRecord.State.VACANT);
    }

    @Test
    void a_beat_that_is_under_way_is_no_reason_to_refuse() {
        store.fate("set " + key, Fate.DELAY);
        sa.renew();
        host.settle();

        ClaimReply reply = a.await(sa.claim(Adapter.request()));

        assertThat(reply).isInstanceOf(ClaimReply.Granted.class);
        assertThat(a.heard.lost).isEmpty();
    }

    @Test
    void a_look_that_is_never_answered_holds_up_the_claims_of_its_time_only() {
        store.fate("read " + key, Fate.LOSE_REPLY);
        assertThat(a.isAnswered(sa.claim(Adapter.request()))).isFalse();
        assertThat(a.isAnswered(sa.claim(Adapter.request()))).isFalse();

        host.advance(Adapter.TTL.dividedBy(20));

        assertThat(a.await(sa.claim(Adapter.request()))).isInstanceOf(ClaimReply.Granted.class);
    }

    @Test
    void a_claim_costs_one_look_at_the_own_record() {
        ClaimReply.Granted first = a.granted(sa);
        a.await(sa.release(ELECTION, first.nonce()));
        store.calls();

        a.granted(sa);

        assertThat(store.calls()).containsExactlyInAnyOrder("read " + CLAIM, "read " + key, "set " + CLAIM);
    }

    @Test
    void many_claims_share_their_looks_at_the_record() {
        List<CompletionStage<ClaimReply>> claims = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            ElectionName election = ElectionName.of("e" + i);
            claims.add(sa.claim(new ClaimRequest(election, new Nonce(5, i), 0, "a", LeaderMetadata.EMPTY)));
        }

        claims.forEach(claim -> assertThat(a.await(claim)).isInstanceOf(ClaimReply.Granted.class));

        assertThat(store.calls().stream().filter(call -> call.equals("read " + key)))
                .hasSizeLessThanOrEqualTo(4);
    }
}
