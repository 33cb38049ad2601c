// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import static dev.tenure.internal.lease.Adapter.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore.Fate;
import dev.tenure.fakes.TrackingStore;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a session makes of the answer to "what has changed?", and of one that does not come. */
class ClaimChangesTest {
    private static final int MANY = 9;

    private final ManualHost host = new ManualHost();
    private final TrackingStore store = new TrackingStore(host);
    private final Adapter holder = new Adapter("holder", host, store);
    private final Adapter waiter = new Adapter("waiter", host, store);
    private final BackendSession holding = holder.open();
    private final BackendSession waiting = waiter.open();
    private final List<Nonce> held = new ArrayList<>();

    private static ElectionName election(int i) {
        return ElectionName.of("e" + i);
    }

    private static ClaimRequest request(int i, Nonce nonce) {
        return new ClaimRequest(election(i), nonce, 0, "x", LeaderMetadata.EMPTY);
    }

    private void bothStand(int elections) {
        for (int i = 0; i < elections; i++) {
            Nonce nonce = new Nonce(1, i);
            held.add(nonce);
            assertThat(holder.await(holding.claim(request(i, nonce)))).isInstanceOf(ClaimReply.Granted.class);
            assertThat(waiter.await(waiting.claim(request(i, new Nonce(2, i))))).isInstanceOf(ClaimReply.Waiting.class);
        }
        store.mute();
    }

    private boolean caughtUp() {
        waiter.heard.changed.clear();
        return waiter.await(waiting.catchUp());
    }

    @Test
    void a_change_is_told_once() {
        bothStand(MANY);
        assertThat(caughtUp()).isFalse();
        assertThat(caughtUp()).isTrue();
        holder.await(holding.release(election(3), held.get(3)));

        assertThat(caughtUp()).isTrue();
        assertThat(waiter.heard.changed).containsExactly(election(3));
        assertThat(caughtUp()).isTrue();
        assertThat(waiter.heard.changed).isEmpty();
    }

    @Test
    void a_change_is_told_of_an_election_that_waits_for_nobody_known() {
        bothStand(MANY);
        caughtUp();
        caughtUp();
        store.put("c/other", "changed");

        caughtUp();

        assertThat(waiter.heard.changed).containsExactly(ElectionName.of("other"));
    }

    @Test
    void now_and_then_all_are_asked_for_whatever_the_answer() {
        bothStand(MANY);
        int told = 0;

        for (int question = 0; question < 128; question++) {
            told += caughtUp() ? 1 : 0;
        }

        assertThat(told).isEqualTo(128 - 1 - 2);
    }

    @Test
    void a_few_are_asked_for_one_by_one() {
        bothStand(MANY - 1);
        store.calls();

        assertThat(caughtUp()).isFalse();

        assertThat(store.calls()).isEmpty();
    }

    @Test
    void a_silent_holder_is_evicted_though_the_others_cannot_be_listed() {
        bothStand(1);
        store.fateOfAll("list s/", Fate.FAIL_NONE);

        host.advance(TTL.multipliedBy(2));

        assertThat(waiter.heard.changed).contains(election(0));
    }
}
