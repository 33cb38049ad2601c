// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import static dev.tenure.internal.lease.Adapter.ELECTION;
import static dev.tenure.internal.lease.Adapter.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.fakes.IssuingStore;
import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore.Fate;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Observation;
import dev.tenure.spi.ReleaseReply;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A store that issues tokens: the token of a claim is the number of its write, until something is written over it. */
class IssuedTokensTest {
    private static final String CLAIM = ClaimRecord.key(ELECTION);
    private static final Duration SILENT = TTL.multipliedBy(2);

    private final ManualHost host = new ManualHost();
    private final IssuingStore store = new IssuingStore(host);
    private final Adapter a = new Adapter("a", host, store);
    private final Adapter b = new Adapter("b", host, store);
    private BackendSession sa;
    private BackendSession sb;

    @BeforeEach
    void open() {
        store.numberFrom(1000);
        sa = a.open();
        sb = b.open();
    }

    private long numberOfClaim() {
        return store.tokenOf(store.peek(CLAIM));
    }

    private String text() {
        return store.peek(CLAIM).value();
    }

    private Observation seen() {
        return a.await(a.backend.read(ELECTION));
    }

    /** The session of a falls silent, and b has watched it long enough to know. */
    private void silenceA() {
        a.isAnswered(sb.claim(Adapter.request()));
        host.advance(SILENT);
        b.await(sb.renew());
    }

    @Test
    void the_token_of_a_claim_is_the_number_of_its_write_and_does_not_stand_in_it() {
        ClaimReply.Granted held = a.granted(sa);

        assertThat(held.token()).isEqualTo(FencingToken.of(0, numberOfClaim()));
        assertThat(text()).doesNotContain("\ntoken=").contains("\nera=0\n");
        assertThat(seen().leader().orElseThrow().token()).isEqualTo(held.token());
        assertThat(a.await(sa.holds(new Term(ELECTION, held.token(), held.nonce(), "a"))))
                .isTrue();
        assertThat(store.issued()).isEmpty();
    }

    @Test
    void a_release_writes_the_token_out() {
        ClaimReply.Granted held = a.granted(sa);

        assertThat(a.await(sa.release(ELECTION, held.nonce()))).isEqualTo(ReleaseReply.RELEASED);

        assertThat(text()).contains("\nstate=VACANT\n", "\ntoken=" + held.token() + "\n");
        assertThat(numberOfClaim()).isGreaterThan(held.token().value());
        assertThat(seen().tokenMax()).isEqualTo(held.token().value());
    }

    @Test
    void a_release_that_has_to_look_first_takes_the_token_from_the_version() {
        store.fate("set c/", Fate.FAIL_APPLIED);
        ClaimRequest request = Adapter.request();
        a.failure(sa.claim(request));
        long issued = numberOfClaim();

        assertThat(a.await(sa.release(ELECTION, request.nonce()))).isEqualTo(ReleaseReply.RELEASED);

        assertThat(Adapter.claim(store.peek(CLAIM)).token()).isEqualTo(issued);
    }

    @Test
    void a_claim_whose_outcome_was_unknown_is_granted_with_the_number_of_its_write() {
        store.fate("set c/", Fate.FAIL_APPLIED);
        ClaimRequest request = Adapter.request();
        a.failure(sa.claim(request));
        long issued = numberOfClaim();
        store.put("x/another", "record");

        ClaimReply.Granted held = (ClaimReply.Granted) a.await(sa.claim(request));

        assertThat(held.token().value()).isEqualTo(issued);
        assertThat(numberOfClaim()).as("nothing was written again").isEqualTo(issued);
    }

    @Test
    void a_takeover_writes_the_token_of_its_predecessor_out() {
        ClaimReply.Granted first = a.granted(sa);
        silenceA();

        ClaimReply.Granted second = b.granted(sb);

        assertThat(second.takeover()).isTrue();
        assertThat(second.token()).isEqualTo(FencingToken.of(0, numberOfClaim()));
        assertThat(text()).contains("\nlast=" + first.token() + "\n");
        assertThat(b.heard.tokenMax).isEqualTo(second.token().value());
    }

    @Test
    void moving_the_version_of_a_claim_on_does_not_change_its_token() {
        ClaimReply.Granted first = a.granted(sa);
        silenceA();
        store.fate("set c/", Fate.DELAY);
        ClaimRequest late = Adapter.request();
        CompletionStage<ClaimReply> claim = sb.claim(late);
        host.settle();

        ReleaseReply release = b.await(sb.release(ELECTION, late.nonce()));
        store.deliverDelayed();
        host.settle();

        assertThat(release).isEqualTo(ReleaseReply.NOT_HELD);
        assertThat(a.isAnswered(claim)).isTrue();
        assertThat(text()).contains("\nstate=HELD\n", "\ntoken=" + first.token() + "\n");
        assertThat(numberOfClaim()).isGreaterThan(first.token().value());
        assertThat(a.await(sa.holds(new Term(ELECTION, first.token(), first.nonce(), "a"))))
                .isTrue();
    }

    @Test
    void a_store_whose_numbers_went_back_makes_a_claim_that_nobody_leads_by() {
        ClaimReply.Granted first = a.granted(sa);
        silenceA();
        store.numberFrom(500);

        ClaimReply.Granted lower = b.granted(sb);

        assertThat(lower.token()).isLessThan(first.token());
        assertThat(b.heard.tokenMax)
                .as("so the engine refuses it")
                .isEqualTo(first.token().value());
        assertThat(seen())
                .isEqualTo(new Observation(
                        ELECTION, java.util.Optional.empty(), first.token().value()));
        assertThat(b.await(sb.holds(new Term(ELECTION, lower.token(), lower.nonce(), "b"))))
                .isFalse();
        assertThat(b.await(sb.release(ELECTION, lower.nonce()))).isEqualTo(ReleaseReply.NOT_HELD);
        assertThat(seen().tokenMax()).isEqualTo(first.token().value());
    }

    @Test
    void a_raised_era_lifts_the_next_token_above_the_last_one() {
        ClaimReply.Granted first = a.granted(sa);
        a.await(sa.release(ELECTION, first.nonce()));
        store.numberFrom(500);
        a.await(a.backend.raiseEra(1));
        host.advance(TTL.dividedBy(2));

        ClaimReply.Granted next = b.granted(sb);

        assertThat(next.token().era()).isEqualTo(1);
        assertThat(next.token()).isGreaterThan(first.token());
    }

    @Test
    void a_session_that_has_not_heard_of_a_raise_goes_by_the_last_token() {
        a.await(a.backend.raiseEra(2));
        BackendSession fresh = new Adapter("c", host, store).open();
        ClaimReply.Granted first = a.granted(fresh);
        a.await(fresh.release(ELECTION, first.nonce()));

        ClaimReply.Granted next = b.granted(sb);

        assertThat(first.token().era()).isEqualTo(2);
        assertThat(sb.era().era()).as("what it knows").isZero();
        assertThat(next.token()).isGreaterThan(first.token());
    }

    @Test
    void a_token_that_was_issued_before_is_not_granted() {
        ClaimReply.Granted first = a.granted(sa);
        a.await(sa.release(ELECTION, first.nonce()));
        store.numberFrom(first.token().value());

        BackendException twice = b.failure(sb.claim(Adapter.request()));

        assertThat(twice).hasMessageContaining("issued token " + first.token() + " of sweeper twice");
        assertThat(twice.effect()).isEqualTo(BackendException.Effect.UNKNOWN);
        assertThat(b.granted(sb).token()).isGreaterThan(first.token());
    }

    /** A watch of b reads the claim of a, but never the session behind it; then the store loses its last writes. */
    private ClaimReply.Granted heldByAndLost() {
        ClaimReply.Granted held = a.granted(sa);
        host.advance(SILENT); // so it does not know any more whether that session is alive
        b.await(sb.renew());
        store.fate("read s/", Fate.DROP);
        assertThat(b.isAnswered(b.backend.read(ELECTION))).isFalse();
        store.remove(CLAIM);
        return held;
    }

    @Test
    void a_token_that_a_watch_came_across_is_told_to_the_engine_before_the_next_claim() {
        ClaimReply.Granted lost = heldByAndLost();
        store.numberFrom(500);

        ClaimReply.Granted lower = b.granted(sb);

        assertThat(lower.token()).isLessThan(lost.token());
        assertThat(b.heard.tokenMax)
                .as("so the engine refuses it")
                .isEqualTo(lost.token().value());
    }

    @Test
    void a_token_that_only_a_watch_came_across_is_not_granted_again() {
        ClaimReply.Granted lost = heldByAndLost();
        store.numberFrom(lost.token().value());

        BackendException twice = b.failure(sb.claim(Adapter.request()));

        assertThat(twice).hasMessageContaining("issued token " + lost.token() + " of sweeper twice");
        assertThat(b.granted(sb).token()).isGreaterThan(lost.token());
    }

    @Test
    void a_number_of_2_to_the_48_is_refused() {
        store.numberFrom(FencingToken.SEQUENCE_MAX + 1);

        BackendException refused = a.failure(sa.claim(Adapter.request()));

        assertThat(refused).hasMessageContaining("a token has room up to 2^48 only");
        assertThat(refused.kind()).isEqualTo(BackendException.Kind.MISCONFIGURED);
    }

    @Test
    void a_late_duplicate_of_a_claim_does_not_pass_for_its_term() {
        ClaimRequest request = Adapter.request(new Nonce(1, 1), 0);
        ClaimReply.Granted held = (ClaimReply.Granted) a.await(sa.claim(request));
        String duplicate = text();
        store.put(CLAIM, duplicate);

        assertThat(a.await(sa.holds(new Term(ELECTION, held.token(), held.nonce(), "a"))))
                .isFalse();
    }
}
