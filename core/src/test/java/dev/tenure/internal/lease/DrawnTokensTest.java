// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import static dev.tenure.internal.lease.Adapter.ELECTION;
import static dev.tenure.internal.lease.Adapter.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore;
import dev.tenure.fakes.MemoryStore.Fate;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.ExternalTokens;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.Versioned;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tokens that are drawn from another store: the election is claimed, the token drawn, and only its write elects. */
class DrawnTokensTest {
    private static final String CLAIM = ClaimRecord.key(ELECTION);

    private final ManualHost host = new ManualHost();
    private final MemoryStore tokens = new MemoryStore(host);
    private final Forgetful store = new Forgetful(host);
    private final Adapter a = new Adapter("a", host, store);
    private final Adapter b = new Adapter("b", host, store);
    private BackendSession sa;
    private BackendSession sb;

    private final class Forgetful extends MemoryStore implements ExternalTokens {
        Forgetful(ManualHost host) {
            super(host);
        }

        @Override
        public LeaseStore tokenStore() {
            return tokens;
        }
    }

    @BeforeEach
    void open() {
        sa = a.open();
        sb = b.open();
    }

    private String text() {
        return store.peek(CLAIM).value();
    }

    @Test
    void a_granted_claim_carries_the_token_that_was_drawn() {
        ClaimReply.Granted held = a.granted(sa);

        assertThat(text()).contains("\nstate=HELD\n", "\ntoken=" + held.token() + "\n");
        assertThat(tokens.peek("t/" + ELECTION.encoded()).value()).contains("token=" + held.token());
        assertThat(tokens.issued()).containsExactly(held.token().value());
    }

    @Test
    void nobody_leads_while_the_token_is_drawn_and_others_wait() {
        tokens.fate("set t/", Fate.DELAY);
        CompletionStage<ClaimReply> claim = sa.claim(Adapter.request());

        assertThat(a.isAnswered(claim)).isFalse();
        assertThat(text()).contains("\nstate=CLAIMED\n");
        assertThat(b.await(b.backend.read(ELECTION)).leader()).isEmpty();
        assertThat(b.await(sb.claim(Adapter.request()))).isInstanceOf(ClaimReply.Waiting.class);

        tokens.deliverDelayed();
        assertThat(a.await(claim)).isInstanceOf(ClaimReply.Granted.class);
    }

    @Test
    void a_token_whose_write_is_refused_elects_nobody() {
        tokens.fate("set t/", Fate.DELAY);
        CompletionStage<ClaimReply> claim = sa.claim(Adapter.request());
        host.settle();
        Versioned claimed = store.peek(CLAIM);

        store.put(CLAIM, claimed.value()); // another version: a failover has lost the claim, say
        tokens.deliverDelayed();

        assertThat(a.await(claim)).isInstanceOf(ClaimReply.Waiting.class);
        assertThat(text()).contains("\nstate=CLAIMED\n");
    }

    @Test
    void a_claim_without_a_token_is_of_unknown_outcome_and_is_taken_up_again() {
        tokens.fate("set t/", Fate.FAIL_NONE);
        ClaimRequest request = Adapter.request();

        BackendException failure = a.failure(sa.claim(request));
        assertThat(failure.effect()).isEqualTo(BackendException.Effect.UNKNOWN);
        assertThat(failure).hasMessageStartingWith("no token was drawn");

        assertThat(a.await(sa.claim(request))).isInstanceOf(ClaimReply.Granted.class);
    }

    @Test
    void a_claim_without_a_token_can_be_released() {
        tokens.fate("set t/", Fate.FAIL_NONE);
        ClaimRequest request = Adapter.request();
        a.failure(sa.claim(request));

        assertThat(a.await(sa.release(ELECTION, request.nonce()))).isEqualTo(ReleaseReply.RELEASED);

        assertThat(text()).contains("\nstate=VACANT\n");
        b.granted(sb);
    }

    @Test
    void a_claim_without_a_token_whose_session_is_silent_is_taken() {
        tokens.fate("set t/", Fate.FAIL_NONE);
        a.failure(sa.claim(Adapter.request()));
        b.isAnswered(sb.claim(Adapter.request()));
        host.advance(TTL.multipliedBy(2));
        b.await(sb.renew());

        b.granted(sb);
    }

    @Test
    void a_store_that_has_lost_its_claim_does_not_bring_a_token_back() {
        ClaimReply.Granted first = a.granted(sa);
        a.await(sa.release(ELECTION, first.nonce()));

        store.remove(CLAIM);
        ClaimReply.Granted second = b.granted(sb);

        assertThat(second.token()).isGreaterThan(first.token());
    }
}
