// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.Observation;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.Watch;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** What those see who do not stand, and what operators can ask for. */
interface ObservationCases extends BackendCases {
    Duration HINT_WITHIN = Duration.ofMillis(300);
    ElectionName OTHER = ElectionName.of("another");

    @Test
    default void an_election_that_was_never_held_has_no_leader_and_no_token() {
        RawClient client = fixture().client();

        assertThat(client.read(ELECTION)).isEqualTo(new Observation(ELECTION, Optional.empty(), 0));
        assertThat(client.list()).isEmpty();
    }

    @Test
    default void a_claim_is_seen_by_the_very_next_read_of_another_process() {
        RawSession holder = fixture().client().open();
        RawClient observer = fixture().client();

        for (int i = 0; i < 10; i++) {
            ClaimReply.Granted grant = holder.take(ELECTION);
            Leader seen = observer.read(ELECTION).leader().orElseThrow();
            holder.release(ELECTION, grant.nonce());
            Observation after = observer.read(ELECTION);

            assertThat(seen.token()).isEqualTo(grant.token());
            assertThat(seen.foreign())
                    .as("a candidate of Tenure is not foreign")
                    .isEmpty();
            assertThat(after.leader()).isEmpty();
            assertThat(after.tokenMax()).isEqualTo(grant.token().value());
        }
    }

    @Test
    default void a_list_shows_every_election_that_was_ever_held() {
        RawSession holder = fixture().client().open();
        RawClient observer = fixture().client();
        ClaimReply.Granted led = holder.take(ELECTION);
        ClaimReply.Granted left = holder.take(OTHER);
        holder.release(OTHER, left.nonce());

        assertThat(observer.list()).hasSize(2).contains(observer.read(ELECTION), observer.read(OTHER));
        assertThat(observer.read(ELECTION).leader().map(Leader::token)).contains(led.token());
    }

    @Test
    default void a_holder_that_fell_silent_is_not_shown_as_leader_for_ever() {
        RawSession holder = fixture().client().open();
        RawClient observer = fixture().client();
        ClaimReply.Granted grant = holder.take(ELECTION);
        assertThat(observer.read(ELECTION).leader()).isPresent();

        holder.fallSilent();

        fixture()
                .await()
                .until(
                        "no leader is shown",
                        () -> observer.read(ELECTION).leader().isEmpty());
        assertThat(observer.read(ELECTION).tokenMax()).isEqualTo(grant.token().value());
        fixture()
                .await()
                .until(
                        "none is listed",
                        () -> observer.list().stream()
                                .allMatch(seen -> seen.leader().isEmpty()));
    }

    @Test
    default void a_change_brings_a_hint_until_the_watch_is_closed() {
        Wakeup wakeup = fixture().traits().wakeup();
        assumeTrue(wakeup != Wakeup.POLL, "this backend declares that it gives no hints: " + wakeup);
        RawSession holder = fixture().client().open();
        RawClient observer = fixture().client();
        Set<ElectionName> hinted = ConcurrentHashMap.newKeySet();
        Set<ElectionName> hintedLonger = ConcurrentHashMap.newKeySet();
        Watch watch = observer.watch(hinted::add);
        Watch longer = observer.watch(hintedLonger::add);
        changeUntilHinted(holder, ELECTION, hinted);

        watch.close();
        watch.close();
        changeUntilHinted(holder, OTHER, hintedLonger);
        longer.close();

        assertThat(hinted).doesNotContain(OTHER);
    }

    private void changeUntilHinted(RawSession holder, ElectionName election, Set<ElectionName> hinted) {
        fixture().await().until("a hint for " + election, () -> {
            ClaimReply.Granted grant = holder.take(election);
            boolean seen = fixture().await().within(HINT_WITHIN, () -> hinted.contains(election));
            holder.release(election, grant.nonce());
            return seen;
        });
    }

    @Test
    default void a_request_reaches_the_session_that_holds_the_election() {
        RawSession holder = fixture().client().open();
        OperatorRequest request = resign(ELECTION, holder.take(ELECTION).token(), "ops");

        fixture().client().request(request);

        fixture()
                .await()
                .until(
                        "the request has arrived",
                        () -> holder.events().requests().contains(request));
    }

    @Test
    default void a_later_request_replaces_an_earlier_one() {
        RawSession holder = fixture().client().open();
        FencingToken token = holder.take(ELECTION).token();
        OperatorRequest earlier = resign(ELECTION, token, "first");
        OperatorRequest later = resign(ELECTION, token, "second");
        fixture().client().request(earlier);

        fixture().client().request(later);
        fixture()
                .await()
                .until(
                        "the later one has arrived",
                        () -> holder.events().requests().contains(later));
        holder.events().forget();

        int renewed = holder.renewals();
        fixture().await().until("two more heartbeats", () -> holder.renewals() >= renewed + 2);
        assertThat(holder.events().requests()).doesNotContain(earlier);
    }

    @Test
    default void a_cleared_request_does_not_come_back_and_others_stay() {
        RawSession holder = fixture().client().open();
        OperatorRequest cleared = resign(ELECTION, holder.take(ELECTION).token(), "ops");
        OperatorRequest kept = resign(OTHER, holder.take(OTHER).token(), "ops");
        RawClient operator = fixture().client();
        operator.request(cleared);
        operator.request(kept);
        fixture()
                .await()
                .until(
                        "both have arrived",
                        () -> holder.events().requests().contains(cleared)
                                && holder.events().requests().contains(kept));

        holder.clear(cleared);
        holder.clear(resign(OTHER, new FencingToken(1), "ops"));
        holder.clear(cleared);
        holder.events().forget();

        int renewed = holder.renewals();
        fixture().await().until("two more heartbeats", () -> holder.renewals() >= renewed + 2);
        operator.request(resign(OTHER, kept.token(), "ops again"));
        fixture()
                .await()
                .until(
                        "a new request has arrived",
                        () -> holder.events().requests().stream()
                                .anyMatch(request -> request.by().equals("ops again")));
        assertThat(holder.events().requests()).doesNotContain(cleared);
    }

    static OperatorRequest resign(ElectionName election, FencingToken token, String by) {
        return new OperatorRequest(election, OperatorRequest.Verb.RESIGN, token, by);
    }
}
