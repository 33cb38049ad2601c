// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import static dev.tenure.internal.lease.Adapter.ELECTION;
import static dev.tenure.internal.lease.Adapter.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore;
import dev.tenure.fakes.MemoryStore.Fate;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.ReleaseReply;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Letting go: what is mine is freed, what is not mine is left, and what was still under way comes too late. */
class ReleaseTest {
    private static final ClaimRequest LATE = Adapter.request(new Nonce(1, 1), 0);
    private static final String CLAIM = ClaimRecord.key(ELECTION);

    private final ManualHost host = new ManualHost();
    private final MemoryStore store = new MemoryStore(host);
    private final Adapter a = new Adapter("a", host, store);
    private final Adapter b = new Adapter("b", host, store);
    private BackendSession sa;
    private BackendSession sb;

    @BeforeEach
    void open() {
        sa = a.open();
        sb = b.open();
    }

    private static Term term(FencingToken token, Nonce nonce) {
        return new Term(ELECTION, token, nonce, "holder");
    }

    private ClaimRecord record() {
        return Adapter.claim(store.peek(CLAIM));
    }

    @Test
    void a_release_of_what_was_granted_is_one_round_trip() {
        ClaimReply.Granted held = a.granted(sa);
        store.calls();

        assertThat(a.await(sa.release(ELECTION, held.nonce()))).isEqualTo(ReleaseReply.RELEASED);

        assertThat(store.calls()).containsExactly("set " + CLAIM);
    }

    @Test
    void a_release_whose_claim_was_changed_by_hand_looks_at_what_is_there_now() {
        ClaimReply.Granted held = a.granted(sa);
        store.put(CLAIM, store.peek(CLAIM).value());

        assertThat(a.await(sa.release(ELECTION, held.nonce()))).isEqualTo(ReleaseReply.RELEASED);

        assertThat(Adapter.claim(store.peek(CLAIM)).state()).isEqualTo(ClaimRecord.State.VACANT);
    }

    @Test
    void a_release_leaves_the_record_vacant_with_its_token() {
        ClaimReply.Granted held = a.granted(sa);

        assertThat(a.await(sa.release(ELECTION, held.nonce()))).isEqualTo(ReleaseReply.RELEASED);

        assertThat(record().state()).isEqualTo(ClaimRecord.State.VACANT);
        assertThat(record().token()).isEqualTo(held.token().value());
    }

    @Test
    void a_second_release_finds_nothing() {
        ClaimReply.Granted held = a.granted(sa);
        a.await(sa.release(ELECTION, held.nonce()));
        store.calls();

        assertThat(a.await(sa.release(ELECTION, held.nonce()))).isEqualTo(ReleaseReply.NOT_HELD);

        assertThat(store.calls()).containsExactly("read " + CLAIM);
    }

    @Test
    void a_release_does_not_touch_the_claim_of_another() {
        ClaimReply.Granted held = b.granted(sb);

        assertThat(a.await(sa.release(ELECTION, held.nonce()))).isEqualTo(ReleaseReply.NOT_HELD);

        assertThat(record().isHeldBy(sb.id())).isTrue();
    }

    @Test
    void a_release_that_arrives_late_does_not_end_the_next_term() {
        ClaimReply.Granted held = a.granted(sa);
        store.fate("set c/", Fate.DELAY);
        CompletionStage<ReleaseReply> late = sa.release(ELECTION, held.nonce());
        host.settle();
        a.await(sa.release(ELECTION, held.nonce()));
        ClaimReply.Granted next = b.granted(sb);

        store.deliverDelayed();
        host.settle();

        assertThat(a.isAnswered(late)).isTrue();
        assertThat(record().nonce()).isEqualTo(next.nonce());
        assertThat(record().isHeldBy(sb.id())).isTrue();
    }

    @Test
    void a_release_settles_a_claim_on_a_new_election_that_may_still_land() {
        store.fate("set c/", Fate.DELAY);
        CompletionStage<ClaimReply> late = sa.claim(LATE);
        host.settle();

        assertThat(a.await(sa.release(ELECTION, LATE.nonce()))).isEqualTo(ReleaseReply.NOT_HELD);
        store.deliverDelayed();
        a.failure(late);

        assertThat(record().state()).isEqualTo(ClaimRecord.State.VACANT);
        assertThat(record().token()).as("issued to nobody").isEqualTo(host.wallMillis());
        assertThat(b.granted(sb).token().value()).isGreaterThan(host.wallMillis());
    }

    @Test
    void a_release_settles_a_claim_on_a_vacant_election_that_may_still_land() {
        a.await(sa.release(ELECTION, a.granted(sa).nonce()));
        store.fate("set c/", Fate.DELAY);
        CompletionStage<ClaimReply> late = sa.claim(LATE);
        host.settle();

        a.await(sa.release(ELECTION, LATE.nonce()));
        store.deliverDelayed();
        a.failure(late);

        assertThat(record().state()).isEqualTo(ClaimRecord.State.VACANT);
    }

    @Test
    void a_release_settles_a_claim_on_a_dead_holder_without_changing_that_holder() {
        b.granted(sb);
        store.remove("s/" + sb.id());
        host.pause(TTL.dividedBy(20)); // it was seen alive a moment ago
        store.fate("set c/", Fate.DELAY);
        CompletionStage<ClaimReply> late = sa.claim(LATE);
        host.settle();
        ClaimRecord before = record();

        a.await(sa.release(ELECTION, LATE.nonce()));
        store.deliverDelayed();
        a.failure(late);

        assertThat(record()).isEqualTo(before);
    }

    @Test
    void a_release_frees_a_claim_that_was_applied_although_its_reply_was_lost() {
        store.fate("set c/", Fate.LOSE_REPLY);
        sa.claim(LATE);
        host.settle();
        assertThat(record().isHeldBy(sa.id())).isTrue();

        assertThat(a.await(sa.release(ELECTION, LATE.nonce()))).isEqualTo(ReleaseReply.RELEASED);

        assertThat(record().state()).isEqualTo(ClaimRecord.State.VACANT);
    }

    @Test
    void a_release_that_meets_its_own_late_claim_frees_it() {
        store.fate("set c/", Fate.DELAY);
        CompletionStage<ClaimReply> late = sa.claim(LATE);
        host.settle();
        store.fate("set c/", Fate.DELAY);
        CompletionStage<ReleaseReply> release = sa.release(ELECTION, LATE.nonce());
        host.settle();

        store.deliverDelayed(); // first the claim, then the release that expected no record

        assertThat(a.await(release)).isEqualTo(ReleaseReply.RELEASED);
        assertThat(a.isAnswered(late)).isTrue();
        assertThat(record().state()).isEqualTo(ClaimRecord.State.VACANT);
    }

    @Test
    void a_release_does_not_believe_a_look_that_is_older_than_the_grant_it_heard_of() {
        store.fate("set c/", Fate.DELAY);
        CompletionStage<ClaimReply> claim = sa.claim(LATE);
        host.settle();
        store.fate("read c/", Fate.DELAY_REPLY);
        CompletionStage<ReleaseReply> release = sa.release(ELECTION, LATE.nonce());
        host.settle();

        store.deliverDelayed(); // first the grant, then what the release saw before it

        assertThat(a.failure(claim).effect()).isEqualTo(BackendException.Effect.UNKNOWN);
        assertThat(a.await(release)).isEqualTo(ReleaseReply.RELEASED);
        assertThat(record().state()).isEqualTo(ClaimRecord.State.VACANT);
    }

    @Test
    void a_release_gives_up_what_was_tried_before_its_nonce_as_well() {
        store.fate("set c/", Fate.LOSE_REPLY);
        sa.claim(LATE);
        host.settle();
        store.fate("set c/", Fate.FAIL_NONE);
        ClaimRequest second = Adapter.request(new Nonce(2, 2), 0);
        a.failure(sa.claim(second));
        assertThat(record().nonce()).isEqualTo(LATE.nonce());

        assertThat(a.await(sa.release(ELECTION, second.nonce()))).isEqualTo(ReleaseReply.RELEASED);
    }

    @Test
    void a_release_never_gives_up_a_later_claim() {
        ClaimReply.Granted first = a.granted(sa);
        a.await(sa.release(ELECTION, first.nonce()));
        ClaimReply.Granted second = a.granted(sa);

        assertThat(a.await(sa.release(ELECTION, first.nonce()))).isEqualTo(ReleaseReply.NOT_HELD);

        assertThat(record().nonce()).isEqualTo(second.nonce());
        assertThat(record().state()).isEqualTo(ClaimRecord.State.HELD);
    }

    @Test
    void an_abandoned_session_claims_and_releases_nothing_any_more() {
        ClaimReply.Granted held = a.granted(sa);
        store.fate("read c/", Fate.DELAY);
        CompletionStage<ClaimReply> claim = sa.claim(LATE);
        host.settle();
        store.calls();
        sa.abandon();

        store.deliverDelayed();
        a.failure(claim);
        a.failure(sa.release(ELECTION, held.nonce()));

        assertThat(store.calls()).noneMatch(call -> call.startsWith("set "));
    }

    @Test
    void a_release_of_an_election_that_nobody_ever_claimed_writes_nothing() {
        store.calls();

        assertThat(a.await(sa.release(ELECTION, LATE.nonce()))).isEqualTo(ReleaseReply.NOT_HELD);

        assertThat(store.calls()).containsExactly("read " + CLAIM);
        assertThat(store.peek(CLAIM).isPresent()).isFalse();
    }

    @Test
    void a_record_that_was_made_unreadable_is_not_held_any_more_and_stays_as_it_is() {
        ClaimReply.Granted held = a.granted(sa);
        store.put(CLAIM, "hello");

        assertThat(a.await(sa.release(ELECTION, held.nonce()))).isEqualTo(ReleaseReply.NOT_HELD);

        assertThat(store.peek(CLAIM).value()).isEqualTo("hello");
    }

    @Test
    void who_asks_whether_it_holds_remembers_the_token_that_it_was_shown() {
        ClaimReply.Granted held = a.granted(sa);

        b.await(sb.holds(term(new FencingToken(1), LATE.nonce())));

        assertThat(b.heard.tokenMax).isEqualTo(held.token().value());
    }

    @Test
    void holding_is_asked_of_the_store_and_by_nonce() {
        ClaimReply.Granted held = a.granted(sa);

        assertThat(a.await(sa.holds(term(held.token(), held.nonce())))).isTrue();
        assertThat(a.await(sa.holds(term(new FencingToken(1), LATE.nonce())))).isFalse();
        assertThat(b.await(sb.holds(term(held.token(), held.nonce())))).isFalse();
        assertThat(a.await(sa.holds(term(new FencingToken(1), held.nonce()))))
                .as("the nonce with another token")
                .isFalse();
        a.await(sa.release(ELECTION, held.nonce()));
        assertThat(a.await(sa.holds(term(held.token(), held.nonce())))).isFalse();
        store.remove(CLAIM);
        assertThat(a.await(sa.holds(term(held.token(), held.nonce())))).isFalse();
    }

    @Test
    void a_closed_session_frees_its_claims_at_once() {
        a.granted(sa);
        assertThat(b.await(sb.claim(Adapter.request()))).isInstanceOf(ClaimReply.Waiting.class);

        a.await(sa.close());
        host.advance(TTL.dividedBy(20));

        assertThat(store.peek("s/" + sa.id()).isPresent()).isFalse();
        assertThat(b.await(sb.claim(Adapter.request()))).isInstanceOf(ClaimReply.Granted.class);
    }

    @Test
    void a_closed_session_watches_and_wakes_nobody() {
        a.granted(sa);
        b.await(sb.claim(Adapter.request()));
        int watches = store.watches();
        b.await(sb.close());
        assertThat(store.watches()).isEqualTo(watches - 2);
        b.heard.changed.clear();

        host.advance(TTL.multipliedBy(3));

        assertThat(b.heard.changed).isEmpty();
    }
}
