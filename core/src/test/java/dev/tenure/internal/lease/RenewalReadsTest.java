// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import static dev.tenure.internal.lease.Adapter.ELECTION;
import static dev.tenure.internal.lease.Adapter.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.ReadingStore;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.RenewReply;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a session learns from its renewals, over a store that notifies of nothing. */
class RenewalReadsTest {
    private static final Duration BEAT = TTL.dividedBy(4);

    private final ManualHost host = new ManualHost();
    private final ReadingStore store = new ReadingStore(host);
    private final Adapter holder = new Adapter("holder", host, store);
    private final Adapter waiter = new Adapter("waiter", host, store);
    private final ClaimRequest request = Adapter.request();
    private BackendSession holding;
    private BackendSession waiting;

    @BeforeEach
    void oneHoldsAndOneWaits() {
        holding = holder.open();
        waiting = waiter.open();
        assertThat(holder.await(holding.claim(request))).isInstanceOf(ClaimReply.Granted.class);
        assertThat(waiter.await(waiting.claim(Adapter.request()))).isInstanceOf(ClaimReply.Waiting.class);
        store.mute();
        holder.heard.changed.clear();
        waiter.heard.changed.clear();
        store.calls();
    }

    private void bothRenew() {
        host.advance(BEAT);
        assertThat(holder.await(holding.renew())).isInstanceOf(RenewReply.Renewed.class);
        assertThat(waiter.await(waiting.renew())).isInstanceOf(RenewReply.Renewed.class);
    }

    @Test
    void while_nothing_happens_nothing_but_renewals_is_sent() {
        for (int beat = 0; beat < 40; beat++) {
            bothRenew();
            assertThat(waiter.await(waiting.catchUp())).isTrue();
        }

        assertThat(store.calls())
                .hasSize(80)
                .containsOnly("set " + SessionRecord.key(holding.id()), "set " + SessionRecord.key(waiting.id()));
        assertThat(holder.heard.changed).isEmpty();
        assertThat(waiter.heard.changed).isEmpty();
    }

    @Test
    void a_release_that_was_not_notified_is_told_with_the_next_renewal() {
        holder.await(holding.release(ELECTION, request.nonce()));

        bothRenew();

        assertThat(waiter.heard.changed).containsExactly(ELECTION);
        assertThat(holder.heard.changed).isEmpty();
    }

    @Test
    void a_claim_that_was_changed_by_hand_is_told_to_its_holder_before_its_renewal_is_acknowledged() {
        assertThat(holding.pushesClaimLoss()).isTrue();
        store.remove(ClaimRecord.key(ELECTION));

        bothRenew();

        assertThat(holder.heard.changed).containsExactly(ELECTION);
    }

    @Test
    void a_request_is_told_with_the_next_renewal() {
        waiter.await(waiter.backend.request(new OperatorRequest(
                ELECTION, OperatorRequest.Verb.RESIGN, new FencingToken(holder.heard.tokenMax), "tester")));

        bothRenew();

        assertThat(holder.heard.requested).hasSize(1);
        assertThat(waiter.heard.requested).isEmpty();
    }

    @Test
    void a_holder_whose_session_was_deleted_is_told_with_the_next_renewal() {
        store.remove(SessionRecord.key(holding.id()));

        host.advance(BEAT);
        waiter.await(waiting.renew());

        assertThat(waiter.heard.changed).containsExactly(ELECTION);
    }

    @Test
    void a_holder_that_is_silent_is_found_in_its_time_though_it_was_seen_alive_by_renewals() {
        for (int beat = 0; beat < 6; beat++) {
            bothRenew();
        }

        for (int beat = 0; beat < 5; beat++) {
            host.advance(BEAT);
            waiter.await(waiting.renew());
        }

        assertThat(waiter.heard.changed).contains(ELECTION);
    }

    @Test
    void claims_that_are_many_take_turns() {
        for (int i = 0; i < 3 * RenewalReads.CLAIMS_MAX; i++) {
            ElectionName election = ElectionName.of("e" + i);
            ClaimRequest more = new ClaimRequest(election, new Nonce(3, i), 0, "x", LeaderMetadata.EMPTY);
            assertThat(holder.await(holding.claim(more))).isInstanceOf(ClaimReply.Granted.class);
        }
        store.remove("c/e20");

        for (int beat = 0; beat < 4; beat++) {
            bothRenew();
        }

        assertThat(holder.heard.changed).containsOnly(ElectionName.of("e20"));
    }
}
