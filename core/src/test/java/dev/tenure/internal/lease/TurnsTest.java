// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import static dev.tenure.internal.lease.Adapter.ELECTION;
import static dev.tenure.internal.lease.Adapter.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Of many that wait for the same election, one acts on a change. */
class TurnsTest {
    private static final Duration LATENCY = Duration.ofMillis(10);
    /** What one needs to look and to claim. */
    private static final Duration TURN = LATENCY.multipliedBy(2);

    private final ManualHost host = new ManualHost();
    private final MemoryStore store = new MemoryStore(host);
    private final List<Adapter> waiting = new ArrayList<>();
    private final List<BackendSession> sessions = new ArrayList<>();
    private BackendSession holding;
    private Nonce held;

    @BeforeEach
    void oneHoldsIt() {
        Adapter holder = new Adapter("holder", host, store);
        holding = holder.open();
        sessions.add(holding);
        held = holder.granted(holding).nonce();
    }

    private void stand(int count, ElectionName election) {
        for (int i = 0; i < count; i++) {
            Adapter adapter = new Adapter("n" + i, host, store);
            BackendSession session = adapter.open();
            sessions.add(session);
            ClaimReply reply = adapter.await(session.claim(
                    new ClaimRequest(election, new Nonce(9, sessions.size()), 0, "n" + i, LeaderMetadata.EMPTY)));
            if (election.equals(ELECTION)) {
                assertThat(reply).isInstanceOf(ClaimReply.Waiting.class);
                waiting.add(adapter);
            }
        }
    }

    /** Long enough that each has said where it stands, and has looked around. */
    private void getToKnowEachOther() {
        for (Duration passed = Duration.ZERO; passed.compareTo(TTL.multipliedBy(3)) < 0; ) {
            sessions.forEach(BackendSession::renew);
            host.advance(TTL.dividedBy(4));
            passed = passed.plus(TTL.dividedBy(4));
        }
        store.latency(LATENCY);
        for (int i = 0; i < 20; i++) { // what a round trip takes is not believed at once
            sessions.forEach(BackendSession::renew);
            host.advance(LATENCY);
        }
        waiting.forEach(adapter -> adapter.heard.changed.clear());
        store.calls();
    }

    private void release() {
        holding.release(ELECTION, held);
        host.advance(LATENCY);
    }

    private long told() {
        return waiting.stream()
                .filter(adapter -> !adapter.heard.changed.isEmpty())
                .count();
    }

    @Test
    void one_acts_at_once_and_should_it_not_the_next_ones_follow_in_turn() {
        stand(5, ELECTION);
        getToKnowEachOther();

        release();

        for (int acted = 1; acted <= 5; acted++) {
            assertThat(told()).isEqualTo(acted);
            host.advance(TURN);
        }
    }

    @Test
    void a_second_change_says_that_one_has_acted_and_the_others_learn_of_the_new_holder_later() {
        stand(5, ELECTION);
        getToKnowEachOther();
        release();
        Adapter first = waiting.stream()
                .filter(adapter -> !adapter.heard.changed.isEmpty())
                .findFirst()
                .orElseThrow();
        sessions.get(1 + waiting.indexOf(first)).claim(Adapter.request());
        host.advance(TURN.plus(LATENCY));
        assertThat(told()).as("the next one was too early at most").isLessThanOrEqualTo(2);

        host.advance(TTL.dividedBy(4).minus(TURN));
        assertThat(told()).isLessThanOrEqualTo(2);

        host.advance(TTL.dividedBy(4));
        assertThat(told()).isEqualTo(5);
    }

    @Test
    void who_stands_elsewhere_is_not_waited_for() {
        stand(8, ElectionName.of("other"));
        stand(1, ELECTION);
        getToKnowEachOther();

        release();

        assertThat(told()).isEqualTo(1);
    }

    @Test
    void who_is_dead_is_not_waited_for() {
        stand(6, ELECTION);
        sessions.subList(2, 7).clear();
        waiting.subList(1, 6).clear();
        getToKnowEachOther();

        release();

        assertThat(told()).isEqualTo(1);
    }

    @Test
    void who_waits_alone_acts_at_once() {
        stand(1, ELECTION);
        getToKnowEachOther();

        release();

        assertThat(told()).isEqualTo(1);
    }

    @Test
    void each_term_has_another_order() {
        stand(5, ELECTION);
        getToKnowEachOther();
        List<Integer> order = new ArrayList<>();
        for (int token = 1; token <= 20; token++) {
            order.add(first(token));
        }

        assertThat(order.stream().distinct().count()).isGreaterThan(2);
    }

    private int first(long token) {
        PeerSessions peers = new PeerSessions(new LoopStore(store, host), host);
        peers.lookAround(TTL.toNanos());
        host.advance(LATENCY);
        ExpiryTimers.Holder holder = new ExpiryTimers.Holder(holding.id(), token);
        for (int i = 1; i < sessions.size(); i++) {
            if (peers.rank(sessions.get(i).id(), ELECTION, holder) == 0) {
                return i;
            }
        }
        throw new AssertionError("nobody is first");
    }
}
