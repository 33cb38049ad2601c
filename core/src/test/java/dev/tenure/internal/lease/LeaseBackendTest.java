// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.lease;

import static dev.tenure.internal.lease.Adapter.ELECTION;
import static dev.tenure.internal.lease.Adapter.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore;
import dev.tenure.fakes.MemoryStore.Fate;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.Observation;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Watch;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the adapter tells and keeps in order besides claims: looking, listing, sweeping, eras. */
class LeaseBackendTest {
    private final ManualHost host = new ManualHost();
    private final MemoryStore store = new MemoryStore(host);
    private final Adapter a = new Adapter("a", host, store);
    private final Adapter b = new Adapter("b", host, store);

    private static void pauseSilently(ManualHost host) {
        host.pause(TTL.plus(TTL.dividedBy(10)).plusMillis(1));
    }

    @Test
    void an_election_that_nobody_claimed_has_no_leader_and_no_token() {
        assertThat(a.await(a.backend.read(ELECTION)))
                .isEqualTo(new Observation(ELECTION, java.util.Optional.empty(), 0));
    }

    @Test
    void the_holder_is_seen_while_its_session_lives() {
        ClaimReply.Granted held = a.granted(a.open());

        Observation seen = b.await(b.backend.read(ELECTION));

        assertThat(seen.leader().orElseThrow().token()).isEqualTo(held.token());
        assertThat(seen.leader().orElseThrow().node()).isEqualTo("holder");
        assertThat(seen.tokenMax()).isEqualTo(held.token().value());
    }

    @Test
    void a_released_election_keeps_its_token_and_shows_nobody() {
        BackendSession session = a.open();
        ClaimReply.Granted held = a.granted(session);
        a.await(session.release(ELECTION, held.nonce()));

        assertThat(b.await(b.backend.read(ELECTION)))
                .isEqualTo(new Observation(
                        ELECTION, java.util.Optional.empty(), held.token().value()));
    }

    @Test
    void a_silent_holder_is_not_shown_and_looking_evicts_nobody() {
        BackendSession session = a.open();
        a.granted(session);
        b.await(b.backend.read(ELECTION));
        pauseSilently(host);
        store.calls();

        assertThat(b.await(b.backend.read(ELECTION)).leader()).isEmpty();

        assertThat(store.calls()).noneMatch(call -> call.startsWith("set "));
        assertThat(SessionRecord.of(store.peek("s/" + session.id())).state()).isEqualTo(SessionRecord.State.OPEN);
    }

    @Test
    void all_elections_are_listed_with_those_who_live() {
        BackendSession alive = a.open();
        a.granted(alive);
        BackendSession dying = b.open();
        b.await(dying.claim(new dev.tenure.spi.ClaimRequest(
                ElectionName.of("other"), new dev.tenure.Nonce(1, 1), 0, "b", dev.tenure.LeaderMetadata.EMPTY)));
        a.await(a.backend.list());
        pauseSilently(host);
        a.await(alive.renew());

        List<Observation> all = a.await(a.backend.list());

        assertThat(all).hasSize(2);
        assertThat(all)
                .filteredOn(seen -> seen.leader().isPresent())
                .extracting(Observation::election)
                .containsExactly(ELECTION);
    }

    @Test
    void opening_sweeps_what_dead_sessions_left_behind() {
        BackendSession dead = a.open();
        BackendSession alive = b.open();
        pauseSilently(host);
        b.await(alive.renew());

        BackendSession next = b.open();
        host.settle();

        assertThat(store.keys("s/")).containsExactlyInAnyOrder("s/" + alive.id(), "s/" + next.id());
        assertThat(store.keys("s/")).doesNotContain("s/" + dead.id());
    }

    @Test
    void a_swept_session_cannot_be_renewed_back_to_life() {
        BackendSession dead = a.open();
        b.open();
        pauseSilently(host);
        b.open();
        host.settle();

        assertThat(a.await(dead.renew())).isInstanceOf(dev.tenure.spi.RenewReply.Gone.class);
        assertThat(store.peek("s/" + dead.id()).isPresent()).isFalse();
    }

    @Test
    void a_session_that_was_not_seen_before_is_not_swept() {
        BackendSession other = a.open();
        host.pause(TTL.multipliedBy(100));

        b.open();
        host.settle();

        assertThat(store.peek("s/" + other.id()).isPresent()).isTrue();
    }

    @Test
    void where_the_store_judges_an_expired_session_is_swept_at_first_sight() {
        store.judgedBy(BackendTraits.ExpiryDetection.SERVER_TIME);
        BackendSession other = a.open();
        host.pause(TTL);

        b.open();
        host.settle();

        assertThat(store.peek("s/" + other.id()).isPresent()).isFalse();
    }

    @Test
    void a_process_does_not_sweep_its_own_session_whose_duties_may_still_run() {
        store.judgedBy(BackendTraits.ExpiryDetection.SERVER_TIME);
        BackendSession before = a.open();
        host.pause(TTL);

        a.open();
        host.settle();
        assertThat(store.peek("s/" + before.id()).isPresent()).isTrue();
        a.await(before.close());

        assertThat(store.peek("s/" + before.id()).isPresent()).isFalse();
    }

    @Test
    void a_corrupt_session_record_stays_and_does_not_stop_the_sweep() {
        store.put("s/aaa", "hello");
        BackendSession dead = a.open();
        b.open();
        pauseSilently(host);

        b.open();
        host.settle();

        assertThat(store.peek("s/aaa").value()).isEqualTo("hello");
        assertThat(store.peek("s/" + dead.id()).isPresent()).isFalse();
    }

    @Test
    void the_store_gets_a_random_id_and_era_0_at_the_first_use() {
        StoreEra era = a.await(a.backend.era());

        assertThat(era.era()).isZero();
        assertThat(era.storeId()).hasSize(32);
        assertThat(b.await(b.backend.era())).isEqualTo(era);
        assertThat(a.open().era()).isEqualTo(era);
    }

    @Test
    void two_processes_that_meet_at_the_first_use_agree_on_the_id() {
        store.fate("set e", Fate.DELAY);
        var first = a.backend.era();
        host.settle();
        StoreEra second = b.await(b.backend.era());

        store.deliverDelayed();

        assertThat(a.await(first)).isEqualTo(second);
    }

    @Test
    void the_era_is_raised_and_never_lowered() {
        assertThat(a.await(a.backend.raiseEra(3)).era()).isEqualTo(3);
        assertThat(a.await(a.backend.raiseEra(2)).era()).isEqualTo(3);
        assertThat(a.await(a.backend.era()).era()).isEqualTo(3);
        assertThatThrownBy(() -> a.await(a.backend.raiseEra(FencingToken.ERA_MAX + 1)))
                .hasMessageContaining("0..32767");
    }

    @Test
    void a_raised_era_lifts_the_next_token_of_an_open_session() {
        BackendSession session = a.open();
        ClaimReply.Granted before = a.granted(session);
        a.await(session.release(ELECTION, before.nonce()));
        b.await(b.backend.raiseEra(2));
        host.pause(TTL.dividedBy(20)); // an era is looked at again after this

        ClaimReply.Granted after = a.granted(session);

        assertThat(after.token().era()).isEqualTo(2);
        assertThat(session.era().era()).isEqualTo(2);
    }

    @Test
    void many_claims_in_a_row_share_one_look_at_the_era() {
        BackendSession session = a.open();
        host.pause(TTL);
        store.calls();
        for (int i = 0; i < 10; i++) {
            a.await(session.claim(Adapter.request()));
        }

        assertThat(store.calls()).filteredOn(call -> call.equals("read e")).hasSize(1);
    }

    @Test
    void a_store_that_was_emptied_refuses_the_claims_of_an_older_session() {
        BackendSession session = a.open();
        store.remove("e");
        host.pause(TTL.dividedBy(20));

        BackendException refused = a.failure(session.claim(Adapter.request()));

        assertThat(refused.effect()).isEqualTo(BackendException.Effect.NONE);
        assertThat(refused).hasMessageContaining("emptied or replaced");
        assertThat(store.keys("c/")).isEmpty();
        assertThat(a.heard.lost).as("or it would renew this session for ever").hasSize(1);
    }

    @Test
    void a_corrupt_era_is_told_and_not_replaced() {
        store.put("e", "hello");

        assertThat(a.failure(a.backend.era()).kind()).isEqualTo(BackendException.Kind.CORRUPT);
        assertThat(store.peek("e").value()).isEqualTo("hello");
    }

    @Test
    void a_watch_tells_elections_until_it_is_closed() {
        List<ElectionName> seen = new ArrayList<>();
        Watch watch = b.backend.watch(seen::add);
        BackendSession session = a.open();
        ClaimReply.Granted held = a.granted(session);
        assertThat(seen).containsExactly(ELECTION);
        watch.close();

        a.await(session.release(ELECTION, held.nonce()));

        assertThat(seen).hasSize(1);
    }

    @Test
    void a_store_that_throws_is_answered_for() {
        store.fate("read c/", Fate.THROW);
        var reading = a.backend.read(ELECTION);
        host.settle();

        assertThat(reading).isCompletedExceptionally();
        assertThat(a.await(a.backend.read(ELECTION)).leader()).isEmpty();
    }

    @Test
    void a_store_that_breaks_with_an_error_is_answered_for_as_well() {
        store.fate("read c/", Fate.THROW_ERROR);
        var reading = a.backend.read(ELECTION);
        host.settle();

        assertThat(reading).isCompletedExceptionally();
    }
}
