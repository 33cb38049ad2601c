package dev.tenure.internal.lease;

import static dev.tenure.internal.lease.Adapter.ELECTION;
import static dev.tenure.internal.lease.Adapter.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Card;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore;
import dev.tenure.fakes.MemoryStore.Fate;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Hint;
import dev.tenure.spi.Versioned;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A store whose hints tell what was written: whoever waits goes by it, and believes nothing. */
class HearsayTest {
    private static final String CLAIM = ClaimRecord.key(ELECTION);

    private final ManualHost host = new ManualHost();
    private final MemoryStore store = new MemoryStore(host);
    private final Adapter a = new Adapter("a", host, store);
    private final Adapter b = new Adapter("b", host, store);
    private final Adapter c = new Adapter("c", host, store);
    private BackendSession sa;
    private BackendSession sb;
    private ClaimReply.Granted held;

    @BeforeEach
    void a_leads_and_b_waits() {
        store.showBeside();
        store.tellWords();
        sa = a.open();
        sb = b.open();
        held = a.granted(sa);
        b.await(sb.claim(Adapter.request()));
        host.settle();
        b.heard.changed.clear();
        a.heard.changed.clear();
        store.calls();
    }

    private ClaimRecord record() {
        return ClaimRecord.of(store.peek(CLAIM));
    }

    private void release() {
        a.await(sa.release(ELECTION, held.nonce()));
        host.settle();
        store.calls();
    }

    private void tell(Optional<String> version, ClaimRecord claim) {
        store.tell(new Hint(CLAIM, Optional.of(new Versioned(CLAIM, version, claim.word(), Optional.empty(), 0))));
        host.settle();
    }

    @Test
    void a_release_that_was_told_of_is_followed_by_one_call() {
        release();

        ClaimReply.Granted next = b.granted(sb);

        assertThat(b.heard.changed).containsExactly(ELECTION);
        assertThat(store.calls()).containsExactly("set " + CLAIM);
        assertThat(next.token().value()).isGreaterThan(held.token().value());
        assertThat(next.takeover()).isFalse();
        assertThat(record().isHeldBy(sb.id())).isTrue();
    }

    @Test
    void a_token_is_counted_from_the_clock_of_the_store_also_without_a_look() {
        host.advance(Duration.ofSeconds(2));
        release();

        long token = b.granted(sb).token().value();

        assertThat(token).isBetween(host.wallMillis() - 1000, host.wallMillis());
    }

    @Test
    void a_claim_that_was_told_of_is_waited_for_without_a_look() {
        release();
        BackendSession sc = c.open();
        c.granted(sc);
        host.settle();
        store.calls();

        ClaimReply reply = b.await(sb.claim(Adapter.request()));

        assertThat(reply).isEqualTo(new ClaimReply.Waiting(Optional.empty(), false));
        assertThat(store.calls()).isEmpty();
    }

    @Test
    void what_this_session_has_written_itself_is_no_news() {
        release();
        b.granted(sb);
        host.settle();

        assertThat(b.heard.changed).hasSize(1);
        assertThat(a.heard.changed).isNotEmpty();
    }

    @Test
    void a_word_that_is_made_up_does_not_take_the_claim_of_the_living() {
        tell(store.peek(CLAIM).version(), record().vacant());

        ClaimReply reply = b.await(sb.claim(Adapter.request()));

        assertThat(reply).isInstanceOf(ClaimReply.Waiting.class);
        assertThat(record().isHeldBy(sa.id())).isTrue();
        assertThat(record().nonce()).isEqualTo(held.nonce());
    }

    @Test
    void a_word_that_is_made_up_raises_no_token() {
        ClaimRecord high = new ClaimRecord(
                ELECTION,
                sa.id(),
                Long.MAX_VALUE - 1,
                new Nonce(1, 1),
                ClaimRecord.State.HELD,
                "x",
                TTL,
                record().since(),
                Card.EMPTY);
        tell(Optional.of("made up"), high);
        long before = b.heard.tokenMax;

        b.await(sb.claim(Adapter.request()));

        assertThat(b.heard.tokenMax).isEqualTo(before);
    }

    @Test
    void a_word_of_a_token_that_nothing_is_above_is_only_a_hint() {
        ClaimRecord highest = new ClaimRecord(
                ELECTION,
                sa.id(),
                Long.MAX_VALUE,
                new Nonce(1, 1),
                ClaimRecord.State.VACANT,
                "x",
                TTL,
                record().since(),
                Card.EMPTY);
        tell(store.peek(CLAIM).version(), highest);

        assertThat(b.await(sb.claim(Adapter.request()))).isInstanceOf(ClaimReply.Waiting.class);
        assertThat(store.calls()).contains("read " + CLAIM);
    }

    @Test
    void a_session_that_was_given_up_claims_nothing_by_word() {
        release();
        sb.abandon();

        b.failure(sb.claim(Adapter.request()));

        assertThat(record().state()).isEqualTo(ClaimRecord.State.VACANT);
    }

    @Test
    void a_word_that_is_out_of_date_is_refused_and_decided_by_what_stands() {
        Versioned vacant = store.peek(CLAIM);
        release();
        Optional<String> version = store.peek(CLAIM).version();
        ClaimRecord released = record();
        BackendSession sc = c.open();
        ClaimReply.Granted third = c.granted(sc);
        tell(version, released);

        ClaimReply reply = b.await(sb.claim(Adapter.request()));

        assertThat(vacant.version()).isNotEqualTo(version);
        assertThat(((ClaimReply.Waiting) reply).holder().orElseThrow().token()).isEqualTo(third.token());
        assertThat(record().isHeldBy(sc.id())).isTrue();
    }

    @Test
    void a_word_that_nobody_can_read_is_only_a_hint() {
        store.tell(
                new Hint(CLAIM, Optional.of(new Versioned(CLAIM, Optional.of("v"), "garbage", Optional.empty(), 0))));
        host.settle();

        assertThat(b.heard.changed).containsExactly(ELECTION);
        assertThat(b.await(sb.claim(Adapter.request()))).isInstanceOf(ClaimReply.Waiting.class);
        assertThat(store.calls()).contains("read " + CLAIM);
    }

    @Test
    void nobody_goes_by_word_alone_for_longer_than_half_a_ttl() {
        ClaimRecord someone = new ClaimRecord(
                ELECTION, "nobody", 9, new Nonce(1, 1), ClaimRecord.State.HELD, "x", TTL, record().since(), Card.EMPTY);
        tell(Optional.of("made up"), someone);
        b.await(sb.claim(Adapter.request()));
        assertThat(store.calls()).isEmpty();
        a.await(sa.renew());
        host.pause(TTL.dividedBy(2).plusMillis(1));
        tell(Optional.of("made up too"), someone);
        store.calls();

        b.await(sb.claim(Adapter.request()));

        assertThat(store.calls()).contains("read " + CLAIM);
    }

    @Test
    void who_claimed_and_died_is_found_out_although_nobody_looked() {
        release();
        BackendSession sc = c.open();
        c.granted(sc);
        b.await(sb.claim(Adapter.request()));
        b.heard.changed.clear();

        for (int beat = 0; beat < 8; beat++) {
            host.advance(TTL.dividedBy(4));
            a.await(sa.renew());
            b.await(sb.renew());
        }

        assertThat(b.heard.changed).contains(ELECTION);
        assertThat(b.granted(sb).takeover()).isTrue();
    }

    @Test
    void an_era_that_was_raised_meanwhile_is_that_of_the_token() {
        host.advance(TTL.dividedBy(10));
        a.await(c.backend.raiseEra(3));
        release();

        FencingToken token = b.granted(sb).token();

        assertThat(token.era()).isEqualTo(3);
        assertThat(record().token()).isEqualTo(token.value());
    }

    @Test
    void a_token_that_was_counted_from_too_old_a_clock_is_replaced_before_anything_is_granted() {
        store.clockAhead(Duration.ofSeconds(30));
        release();

        ClaimReply.Granted granted = b.granted(sb);

        assertThat(granted.token().value()).isGreaterThanOrEqualTo(host.wallMillis() + 30_000);
        assertThat(record().token()).isEqualTo(granted.token().value());
        assertThat(record().nonce()).isEqualTo(granted.nonce());
    }

    @Test
    void a_claim_that_is_made_again_for_its_token_is_of_unknown_outcome_if_that_is_not_answered() {
        store.clockAhead(Duration.ofSeconds(30));
        release();
        store.fate("read " + CLAIM, Fate.FAIL_NONE);

        BackendException failure = b.failure(sb.claim(Adapter.request()));

        assertThat(failure.effect()).isEqualTo(BackendException.Effect.UNKNOWN);
        assertThat(record().isHeldBy(sb.id())).isTrue();
    }

    @Test
    void a_claim_that_is_made_again_for_its_token_is_of_unknown_outcome_if_that_is_refused_because_the_first_stands() {
        store.clockAhead(Duration.ofSeconds(30));
        release();
        store.fate("set " + CLAIM, Fate.DELAY);
        CompletionStage<ClaimReply> claim = sb.claim(Adapter.request());
        host.settle();
        store.fate("set " + CLAIM, Fate.FAIL_NONE);

        store.deliverDelayed();

        assertThat(b.failure(claim).effect()).isEqualTo(BackendException.Effect.UNKNOWN);
        assertThat(record().isHeldBy(sb.id())).isTrue();
    }

    @Test
    void when_the_way_to_the_store_was_made_anew_nobody_goes_by_what_was_told_before() {
        release();
        store.tell(Hint.of(ClaimRecord.PREFIX));
        host.settle();

        b.granted(sb);

        assertThat(store.calls()).contains("read " + CLAIM);
    }

    @Test
    void what_is_told_keeps_the_secrets_of_a_term() {
        ClaimRequest request =
                new ClaimRequest(ELECTION, new Nonce(77, 78), 0, "holder", Card.EMPTY.with("address", "10.0.0.1"));
        release();
        b.await(sb.claim(request));

        assertThat(record().text()).contains(request.nonce().toString(), "10.0.0.1");
        assertThat(record().word()).doesNotContain(request.nonce().toString()).doesNotContain("10.0.0.1");
        assertThat(record().vacant().text()).doesNotContain(request.nonce().toString());
        assertThat(record().vacant().word()).isEqualTo(record().vacant().text());
    }
}
