// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import static dev.tenure.internal.lease.Adapter.ELECTION;
import static dev.tenure.internal.lease.Adapter.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore;
import dev.tenure.fakes.MemoryStore.Fate;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.RenewReply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Claims over a store that only compares and sets: the rules R1, R3 and R4, and what a reply proves. */
class ClaimRulesTest {
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
        store.calls();
    }

    private ClaimRecord record() {
        return Adapter.claim(store.peek(CLAIM));
    }

    private List<String> mutations() {
        return store.calls().stream()
                .filter(call -> call.startsWith("set ") || call.startsWith("delete "))
                .toList();
    }

    /** What is silent for this long has surely stopped: the TTL and the difference of clocks. */
    private void silence() {
        host.advance(TTL.plus(TTL.dividedBy(10)).plusMillis(1));
    }

    @Test
    void a_grant_proves_that_the_record_carries_its_nonce() {
        ClaimRequest request = Adapter.request();

        ClaimReply.Granted granted = (ClaimReply.Granted) a.await(sa.claim(request));

        assertThat(granted.nonce()).isEqualTo(request.nonce());
        assertThat(record().nonce()).isEqualTo(request.nonce());
        assertThat(record().token()).isEqualTo(granted.token().value());
        assertThat(record().isHeldBy(sa.id())).isTrue();
        assertThat(granted.takeover()).isFalse();
        assertThat(granted.standoff()).isZero();
        assertThat(store.issued()).containsExactly(granted.token().value());
    }

    @Test
    void while_one_holds_it_the_other_waits_and_is_told_who() {
        ClaimReply.Granted held = a.granted(sa);

        ClaimReply reply = b.await(sb.claim(Adapter.request()));

        assertThat(reply).isInstanceOf(ClaimReply.Waiting.class);
        ClaimReply.Waiting waiting = (ClaimReply.Waiting) reply;
        assertThat(waiting.queued()).isFalse();
        assertThat(waiting.holder().orElseThrow().token()).isEqualTo(held.token());
        assertThat(mutations()).containsExactly("set " + CLAIM);
    }

    @Test
    void tokens_grow_from_holder_to_holder() {
        long last = 0;
        for (int i = 0; i < 20; i++) {
            boolean even = i % 2 == 0;
            ClaimReply.Granted granted = even ? a.granted(sa) : b.granted(sb);
            assertThat(granted.token().value()).isGreaterThan(last);
            last = granted.token().value();

            a.await((even ? sa : sb).release(ELECTION, granted.nonce()));
            assertThat(record().token()).isEqualTo(last);
        }
    }

    @Test
    void a_claim_is_granted_above_its_floor() {
        long floor = host.wallMillis() + 5000;

        ClaimReply reply = a.await(sa.claim(Adapter.request(new Nonce(1, 1), floor)));

        assertThat(((ClaimReply.Granted) reply).token().value()).isEqualTo(floor + 1);
    }

    @Test
    void a_claim_that_came_too_late_is_granted_above_what_it_came_across_also_if_that_is_gone_by_now() {
        store.fate("set " + CLAIM, Fate.DELAY);
        CompletionStage<ClaimReply> claim = sa.claim(Adapter.request());
        host.settle();
        ClaimReply.Granted other = b.granted(sb);
        b.await(sb.release(ELECTION, other.nonce()));
        store.fate("set " + CLAIM, Fate.DELAY);
        store.deliverDelayed();
        host.settle();
        store.remove(CLAIM);
        store.deliverDelayed();

        ClaimReply.Granted granted = (ClaimReply.Granted) a.await(claim);

        assertThat(granted.token()).isGreaterThan(other.token());
    }

    /** So long after it was read that a claim reads the era again. */
    private void eraGetsOld() {
        host.advance(TTL.dividedBy(10));
    }

    @Test
    void a_token_that_a_claim_came_across_is_told_although_the_era_that_it_reads_with_it_never_comes() {
        ClaimReply.Granted other = b.granted(sb);
        eraGetsOld();
        store.fate("read e", Fate.DROP);

        CompletionStage<ClaimReply> claim = sa.claim(Adapter.request());

        assertThat(a.isAnswered(claim)).isFalse();
        assertThat(a.heard.tokenMax).isEqualTo(other.token().value());
    }

    @Test
    void a_token_that_a_claim_came_across_is_told_although_the_era_was_refused_before() {
        ClaimReply.Granted other = b.granted(sb);
        eraGetsOld();
        store.fate("read e", Fate.FAIL_NONE);

        a.failure(sa.claim(Adapter.request()));

        assertThat(a.heard.tokenMax).isEqualTo(other.token().value());
    }

    @Test
    void a_token_is_counted_from_the_newest_clock_that_its_claim_was_shown() {
        eraGetsOld();
        store.fate("read e", Fate.DELAY);
        CompletionStage<ClaimReply> claim = sa.claim(Adapter.request());
        host.advance(Duration.ofSeconds(1));
        ClaimReply.Granted other = b.granted(sb);
        store.remove(CLAIM);
        host.advance(Duration.ofMillis(1));

        store.deliverDelayed();

        ClaimReply.Granted granted = (ClaimReply.Granted) a.await(claim);
        assertThat(granted.token()).isGreaterThan(other.token());
    }

    @Test
    void a_token_that_a_look_came_across_counts_although_the_look_failed() {
        ClaimReply.Granted other = b.granted(sb);
        store.fate("read s/", Fate.FAIL_NONE);
        a.failure(a.backend.read(ELECTION));
        store.remove(CLAIM);
        store.clockAhead(Duration.ofSeconds(-5));

        ClaimReply.Granted granted = a.granted(sa);

        assertThat(granted.token()).isGreaterThan(other.token());
    }

    @Test
    void r1_a_silent_session_is_evicted_before_its_claim_is_taken() {
        a.granted(sa);
        b.await(sb.claim(Adapter.request()));
        b.await(sb.renew());
        store.calls();
        silence();
        b.await(sb.renew());
        store.calls();

        ClaimReply.Granted taken = b.granted(sb);

        assertThat(mutations()).containsExactly("set s/" + sa.id(), "set " + CLAIM);
        assertThat(SessionRecord.of(store.peek("s/" + sa.id())).state()).isEqualTo(SessionRecord.State.EVICTED);
        assertThat(taken.takeover()).isTrue();
        assertThat(taken.standoff()).isZero();
    }

    @Test
    void r1_an_evicted_session_cannot_be_renewed_and_learns_why() {
        a.granted(sa);
        b.await(sb.claim(Adapter.request()));
        silence();
        b.granted(sb);

        RenewReply reply = a.await(sa.renew());

        assertThat(reply)
                .isInstanceOfSatisfying(
                        RenewReply.Gone.class, gone -> assertThat(gone.why()).contains("evicted"));
        assertThat(record().isHeldBy(sb.id())).isTrue();
    }

    @Test
    void r1_a_rival_that_renews_in_the_last_moment_is_not_evicted() {
        a.granted(sa);
        b.await(sb.claim(Adapter.request()));
        silence();
        store.fate("set s/" + sa.id(), Fate.DELAY); // the eviction
        CompletionStage<ClaimReply> taking = sb.claim(Adapter.request());
        assertThat(b.isAnswered(taking)).isFalse();
        assertThat(a.await(sa.renew())).isInstanceOf(RenewReply.Renewed.class);

        store.deliverDelayed();

        assertThat(b.await(taking)).isInstanceOf(ClaimReply.Waiting.class);
        assertThat(record().isHeldBy(sa.id())).isTrue();
    }

    @Test
    void r1_a_rival_that_renews_in_the_last_moment_and_is_silent_again_is_evicted_as_it_stands_then() {
        store.judgedBy(BackendTraits.ExpiryDetection.SERVER_TIME);
        a.granted(sa);
        silence();
        store.fate("set s/" + sa.id(), Fate.DELAY); // the eviction
        CompletionStage<ClaimReply> taking = sb.claim(Adapter.request());
        assertThat(b.isAnswered(taking)).isFalse();
        assertThat(a.await(sa.renew())).isInstanceOf(RenewReply.Renewed.class);
        silence();

        store.deliverDelayed();

        assertThat(b.await(taking)).isInstanceOf(ClaimReply.Granted.class);
        assertThat(a.await(sa.renew())).isInstanceOf(RenewReply.Gone.class);
    }

    @Test
    void r1_the_second_claim_of_a_dead_session_costs_one_write() {
        ClaimRequest other = new ClaimRequest(
                dev.tenure.ElectionName.of("other"), new Nonce(3, 3), 0, "holder", dev.tenure.LeaderMetadata.EMPTY);
        a.granted(sa);
        a.await(sa.claim(other));
        b.await(sb.claim(Adapter.request()));
        silence();
        b.granted(sb);
        store.calls();

        b.await(sb.claim(new ClaimRequest(other.election(), new Nonce(4, 4), 0, "b", other.metadata())));

        assertThat(mutations()).containsExactly("set c/other");
    }

    @Test
    void a_cold_challenger_times_the_silence_on_its_own_clock_from_its_first_look() {
        a.granted(sa);
        host.pause(TTL.multipliedBy(10));
        Adapter cold = new Adapter("cold", host, store);
        BackendSession session = cold.open();

        assertThat(cold.await(session.claim(Adapter.request()))).isInstanceOf(ClaimReply.Waiting.class);
        host.pause(TTL.plus(TTL.dividedBy(10)).minusMillis(1));
        assertThat(cold.await(session.claim(Adapter.request()))).isInstanceOf(ClaimReply.Waiting.class);
        host.pause(Duration.ofMillis(1));
        assertThat(cold.await(session.claim(Adapter.request()))).isInstanceOf(ClaimReply.Granted.class);
    }

    @Test
    void every_renewal_of_the_holder_starts_the_silence_anew() {
        a.granted(sa);
        b.await(sb.claim(Adapter.request()));

        for (int i = 0; i < 10; i++) {
            host.advance(TTL.dividedBy(2));
            a.await(sa.renew());
            assertThat(b.await(sb.claim(Adapter.request()))).isInstanceOf(ClaimReply.Waiting.class);
        }
    }

    @Test
    void where_the_store_judges_its_word_is_enough() {
        store.judgedBy(BackendTraits.ExpiryDetection.SERVER_TIME);
        a.granted(sa);
        host.pause(TTL.minusMillis(1));
        assertThat(b.await(sb.claim(Adapter.request()))).isInstanceOf(ClaimReply.Waiting.class);

        host.pause(Duration.ofMillis(1));

        assertThat(b.await(sb.claim(Adapter.request()))).isInstanceOf(ClaimReply.Granted.class);
    }

    @Test
    void who_waits_is_told_when_its_rival_falls_silent() {
        a.granted(sa);
        b.await(sb.claim(Adapter.request()));
        b.heard.changed.clear();

        host.advance(TTL.multipliedBy(2));

        assertThat(b.heard.changed).containsExactly(ELECTION);
        assertThat(SessionRecord.of(store.peek("s/" + sa.id())).state()).isEqualTo(SessionRecord.State.EVICTED);
    }

    @Test
    void a_vanished_holder_may_still_believe_so_its_successor_is_told_how_long() {
        a.granted(sa);
        store.remove("s/" + sa.id());
        host.pause(TTL.dividedBy(20)); // it was seen alive a moment ago

        ClaimReply.Granted taken = b.granted(sb);

        assertThat(taken.takeover()).isTrue();
        assertThat(taken.standoff()).isEqualTo(TTL);
    }

    @Test
    void r3_a_record_of_mine_under_an_older_nonce_is_claimed_again_with_a_higher_token() {
        store.fate("set c/", Fate.FAIL_APPLIED);
        BackendException unknown = a.failure(sa.claim(Adapter.request(new Nonce(1, 1), 0)));
        long first = record().token();
        assertThat(unknown.effect()).isEqualTo(BackendException.Effect.UNKNOWN);
        assertThat(record().nonce()).isEqualTo(new Nonce(1, 1));

        ClaimReply.Granted again = (ClaimReply.Granted) a.await(sa.claim(Adapter.request(new Nonce(2, 2), 0)));

        assertThat(again.token().value()).isGreaterThan(first);
        assertThat(again.nonce()).isEqualTo(new Nonce(2, 2));
        assertThat(record().nonce()).isEqualTo(new Nonce(2, 2));
    }

    @Test
    void a_record_that_carries_this_very_nonce_is_the_grant() {
        store.fate("set c/", Fate.LOSE_REPLY);
        sa.claim(Adapter.request(new Nonce(1, 1), 0));
        host.settle();
        store.calls();

        ClaimReply.Granted again = (ClaimReply.Granted) a.await(sa.claim(Adapter.request(new Nonce(1, 1), 0)));

        assertThat(again.token()).isEqualTo(new FencingToken(record().token()));
        assertThat(mutations()).isEmpty();
    }

    @Test
    void r4_a_superseded_claim_issues_no_mutation() {
        store.fate("read c/", Fate.DELAY);
        CompletionStage<ClaimReply> first = sa.claim(Adapter.request());
        host.settle();
        ClaimReply.Granted second = a.granted(sa);
        assertThat(mutations()).containsExactly("set " + CLAIM);

        store.deliverDelayed();

        assertThat(a.failure(first).effect()).isEqualTo(BackendException.Effect.NONE);
        assertThat(mutations()).isEmpty();
        assertThat(record().nonce()).isEqualTo(second.nonce());
    }

    @Test
    void r4_a_claim_that_a_release_superseded_issues_no_mutation() {
        store.fate("read c/", Fate.DELAY);
        CompletionStage<ClaimReply> claim = sa.claim(Adapter.request());
        host.settle();
        assertThat(a.await(sa.release(ELECTION, new Nonce(1, 1)))).isEqualTo(ReleaseReply.NOT_HELD);

        store.deliverDelayed();

        a.failure(claim);
        assertThat(mutations()).isEmpty();
        assertThat(store.peek(CLAIM).isPresent()).isFalse();
    }

    @Test
    void r4_a_release_that_a_claim_superseded_frees_nothing() {
        ClaimReply.Granted held = a.granted(sa);
        store.fate("set c/", Fate.DELAY);
        CompletionStage<ReleaseReply> release = sa.release(ELECTION, held.nonce());
        host.settle();
        ClaimReply.Granted again = a.granted(sa);

        store.deliverDelayed();

        a.failure(release);
        assertThat(record().nonce()).isEqualTo(again.nonce());
        assertThat(record().state()).isEqualTo(ClaimRecord.State.HELD);
    }

    @Test
    void r4_a_superseded_claim_evicts_at_most_but_takes_nothing() {
        a.granted(sa);
        b.await(sb.claim(Adapter.request()));
        silence();
        store.fate("set s/" + sa.id(), Fate.DELAY);
        CompletionStage<ClaimReply> first = sb.claim(Adapter.request());
        host.settle();
        sb.release(ELECTION, new Nonce(1, 1));
        host.settle();
        mutations();

        store.deliverDelayed();

        b.failure(first);
        assertThat(mutations()).isEmpty();
        assertThat(record().isHeldBy(sa.id())).isTrue();
    }

    @Test
    void a_claim_that_was_overtaken_looks_again() {
        store.fate("set c/", Fate.DELAY);
        CompletionStage<ClaimReply> late = sa.claim(Adapter.request());
        host.settle();
        ClaimReply.Granted other = b.granted(sb);

        store.deliverDelayed();

        ClaimReply.Waiting waiting = (ClaimReply.Waiting) a.await(late);
        assertThat(waiting.holder().orElseThrow().token()).isEqualTo(other.token());
    }

    @Test
    void a_late_claim_of_an_older_attempt_does_not_undo_the_newer_grant() {
        store.fate("set c/", Fate.DELAY);
        CompletionStage<ClaimReply> first = sa.claim(Adapter.request());
        host.settle();
        ClaimReply.Granted second = a.granted(sa);

        store.deliverDelayed();

        a.failure(first);
        assertThat(record().nonce()).isEqualTo(second.nonce());
        assertThat(record().token()).isEqualTo(second.token().value());
    }

    @Test
    void the_highest_token_of_all_is_refused_instead_of_gone_back_from() {
        ClaimReply.Granted held = a.granted(sa);
        a.await(sa.release(ELECTION, held.nonce()));
        store.put(CLAIM, store.peek(CLAIM).value().replaceFirst("token=\\d+", "token=" + Long.MAX_VALUE));

        BackendException refused = b.failure(sb.claim(Adapter.request()));

        assertThat(refused.kind()).isEqualTo(BackendException.Kind.CORRUPT);
        assertThat(mutations()).doesNotContain("set s/");
    }

    @Test
    void a_corrupt_record_is_not_overwritten() {
        store.put(CLAIM, "hello");

        BackendException refused = a.failure(sa.claim(Adapter.request()));

        assertThat(refused.kind()).isEqualTo(BackendException.Kind.CORRUPT);
        assertThat(store.peek(CLAIM).value()).isEqualTo("hello");
    }
}
