// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static dev.tenure.contract.RawSession.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.Leader;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.Observation;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.RenewReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The liveness of one process: kept by renewal, ended by silence or by closing, and carrying any number of claims. */
interface SessionCases extends BackendCases {
    int MANY = 1000;
    /** Where each claim is kept by a write of its own. */
    int MANY_ONE_BY_ONE = 20;

    int IN_FLIGHT_MAX = 64;
    Duration LOOP_TURNS_WITHIN = Duration.ofSeconds(3);
    /** What two honest clocks on one machine may differ by. */
    double RATE_ERROR = 0.01;

    @Test
    default void every_session_has_an_id_of_its_own_and_a_granted_ttl() {
        RawClient client = fixture().client();

        RawSession one = client.open("same");
        RawSession two = client.open("same");
        RawSession three = fixture().client().open("same");

        assertThat(List.of(one.id(), two.id(), three.id())).doesNotHaveDuplicates();
        assertThat(List.of(one.ttl(), two.ttl(), three.ttl()))
                .allSatisfy(ttl -> assertThat(ttl)
                        .isBetween(
                                fixture().traits().ttlMin(), fixture().traits().ttlMax()));
    }

    @Test
    default void renewals_keep_a_session_and_its_claim() {
        RawSession holder = fixture().client().open();
        RawSession rival = fixture().client().open();
        ClaimReply.Granted grant = holder.take(ELECTION);
        int renewed = holder.renewals();

        fixture().await().until("several heartbeats have passed", () -> {
            waiting(rival.claim(ELECTION, rival.nonce()));
            return holder.renewals() >= renewed + 6;
        });

        assertThat(holder.holds(ELECTION, grant.nonce())).isTrue();
        assertThat(holder.renew()).isInstanceOf(RenewReply.Renewed.class);
    }

    @Test
    default void a_renewal_tells_the_ttl_that_it_granted() {
        RawSession session = fixture().client().open();

        RenewReply reply = session.renew();

        assertThat(reply).isEqualTo(new RenewReply.Renewed(session.ttl()));
    }

    @Test
    default void a_silent_session_is_replaced_with_a_higher_token_and_not_before_its_time() {
        RawSession holder = fixture().client().open();
        RawSession rival = fixture().client().open();
        ClaimReply.Granted first = holder.take(ELECTION);

        long lastSentNanos = holder.fallSilent();
        ClaimReply.Granted second = rival.takeWhenFree(ELECTION);
        Duration silence = Duration.ofNanos(System.nanoTime() - lastSentNanos);

        assertThat(silence)
                .as("from the last acknowledged renewal's send to the takeover")
                .isGreaterThanOrEqualTo(TestScale.of(holder.ttl(), 1 - RATE_ERROR));
        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(second.takeover()).as("its predecessor did not release").isTrue();
        assertThat(rival.holds(ELECTION, second.nonce())).isTrue();
    }

    @Test
    default void a_silent_session_is_judged_by_its_own_ttl_and_not_by_that_of_its_rival() {
        Duration longer =
                TestScale.ttl(fixture().ttl().multipliedBy(2), fixture().traits());
        RawSession holder = fixture().client().open("patient", longer);
        RawSession rival = fixture().client().open("hasty", fixture().ttl());
        holder.take(ELECTION);

        long lastSentNanos = holder.fallSilent();
        rival.takeWhenFree(ELECTION);

        assertThat(Duration.ofNanos(System.nanoTime() - lastSentNanos))
                .isGreaterThanOrEqualTo(TestScale.of(holder.ttl(), 1 - RATE_ERROR));
    }

    @Test
    default void a_session_that_was_replaced_is_gone_and_can_change_nothing_any_more() {
        RawSession holder = fixture().client().open();
        RawSession rival = fixture().client().open();
        ClaimReply.Granted first = holder.take(ELECTION);
        holder.fallSilent();
        ClaimReply.Granted second = rival.takeWhenFree(ELECTION);

        RenewReply renewal = holder.renew();
        boolean stillHolds = holder.holds(ELECTION, first.nonce());
        ReleaseReply release = holder.release(ELECTION, first.nonce());

        assertThat(renewal).isInstanceOf(RenewReply.Gone.class);
        assertThat(stillHolds).isFalse();
        assertThat(release).isEqualTo(ReleaseReply.NOT_HELD);
        assertThat(rival.holds(ELECTION, second.nonce())).isTrue();
    }

    @Test
    default void a_closed_session_is_gone() {
        RawSession session = fixture().client().open();

        session.close();

        assertThat(session.renew()).isInstanceOf(RenewReply.Gone.class);
    }

    @Test
    default void a_silent_session_does_not_disturb_the_claims_of_others() {
        RawSession silent = fixture().client().open();
        RawSession holder = fixture().client().open();
        silent.take(ElectionName.of("another"));
        ClaimReply.Granted grant = holder.take(ELECTION);

        silent.fallSilent();
        fixture().client().open().takeWhenFree(ElectionName.of("another"));

        assertThat(holder.holds(ELECTION, grant.nonce())).isTrue();
        assertThat(holder.renew()).isInstanceOf(RenewReply.Renewed.class);
    }

    @Test
    default void closing_a_session_gives_up_every_claim_at_once() {
        RawSession holder = fixture().client().open();
        RawSession rival = fixture().client().open();
        List<ElectionName> elections = List.of(ELECTION, ElectionName.of("two"), ElectionName.of("three"));
        List<ClaimReply.Granted> before = elections.stream().map(holder::take).toList();

        holder.close();

        assertThat(fixture().client().list())
                .allSatisfy(seen -> assertThat(seen.leader()).isEmpty());
        for (int i = 0; i < elections.size(); i++) {
            ClaimReply.Granted after = rival.takeWhenFree(elections.get(i));
            assertThat(after.token()).isGreaterThan(before.get(i).token());
            assertThat(holder.holds(elections.get(i), before.get(i).nonce())).isFalse();
        }
    }

    @Test
    default void closing_a_session_twice_is_harmless() {
        RawSession session = fixture().client().open();
        session.take(ELECTION);

        session.close();
        session.close();

        assertThat(fixture().client().read(ELECTION).leader()).isEmpty();
    }

    @Test
    default void closing_a_backend_is_idempotent_and_releases_nothing() {
        RawClient client = fixture().client();
        Duration notOverYet =
                TestScale.ttl(fixture().ttl().multipliedBy(20), fixture().traits());
        ClaimReply.Granted grant = client.open("node", notOverYet).take(ELECTION);

        client.backend().close();
        client.backend().close();

        assertThat(fixture().client().read(ELECTION).leader().map(Leader::token))
                .contains(grant.token());
    }

    @Test
    default void the_loop_goes_on_while_the_clients_calls_are_stuck() {
        StallingHost host = new StallingHost();
        RawClient client = fixture().client(host);
        RawSession session = client.open();
        ClaimReply.Granted grant = session.take(ELECTION);
        CompletableFuture<Boolean> turn = new CompletableFuture<>();
        host.stall();

        CompletableFuture<ClaimReply> claim = session.send(RawSession.request(ElectionName.of("two"), session.nonce()));
        CompletableFuture<ReleaseReply> release = session.sendRelease(ELECTION, grant.nonce());
        CompletableFuture<List<Observation>> list = client.send(client.backend()::list);
        host.post(() -> turn.complete(true));
        boolean goesOn = fixture().await().within(LOOP_TURNS_WITHIN, turn::isDone);
        host.goOn();

        assertThat(goesOn).as("the loop gets to the next event").isTrue();
        RawSession.granted(fixture().await().reply(claim));
        assertThat(fixture().await().reply(release)).isEqualTo(ReleaseReply.RELEASED);
        assertThat(fixture().await().reply(list)).isNotEmpty();
    }

    @Test
    default void one_renewal_carries_a_thousand_elections() {
        boolean together = fixture().traits().liveness() == BackendTraits.Liveness.SESSION;
        int many = together ? MANY : MANY_ONE_BY_ONE;
        RawClient client = fixture().client();
        RawSession holder = client.open("keeper");
        RawSession rival = fixture().client().open();
        List<ElectionName> elections = new ArrayList<>();
        List<CompletableFuture<ClaimReply>> claims = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            ElectionName election = ElectionName.of("shard/" + i);
            elections.add(election);
            claims.add(holder.send(RawSession.request(election, holder.nonce())));
            if (i >= IN_FLIGHT_MAX) {
                RawSession.granted(fixture().await().reply(claims.get(i - IN_FLIGHT_MAX)));
            }
        }
        claims.forEach(claim -> RawSession.granted(fixture().await().reply(claim)));
        int renewed = holder.renewals();

        fixture()
                .await()
                .until(
                        "the session has lived on its renewals for longer than its TTL",
                        () -> holder.renewals() > renewed + 6);

        for (int i = 0; i < many; i += 50) {
            waiting(rival.claim(elections.get(i), rival.nonce()));
        }
        assertThat(client.list())
                .filteredOn(seen -> seen.leader().isPresent())
                .extracting(Observation::election)
                .containsExactlyInAnyOrderElementsOf(elections);
    }
}
