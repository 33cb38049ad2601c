// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static dev.tenure.contract.ObservationCases.resign;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tenure.Candidacy;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.LeaderMetadata;
import dev.tenure.LeaderWatch;
import dev.tenure.Loss;
import dev.tenure.Stats;
import dev.tenure.Tenure;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.StoreEra;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Users' clients: who leads, who follows, and what others see of it. */
interface CandidacyCases extends BackendCases {
    int MANY = 20;

    /** Waits until this one leads or waits for the one who does: then the time without a leader goes on no more. */
    private void awaitKnowsLeader(Tenure tenure) {
        AtomicReference<Duration> before = new AtomicReference<>(Duration.ofDays(1));
        fixture().await().until("it knows who leads", () -> {
            Optional<Duration> now = Optional.ofNullable(
                            tenure.stats().byElection().get(ELECTION))
                    .map(Stats.ElectionStats::withoutLeader);
            return now.isPresent() && now.get().equals(before.getAndSet(now.get()));
        });
    }

    private static <T> T of(DutyLog.Entry entry, Map<String, T> byNode) {
        return Optional.ofNullable(byNode.get(entry.by())).orElseThrow();
    }

    @Test
    default void of_three_candidates_exactly_one_leads() {
        List<Candidacy> candidacies = new ArrayList<>();
        for (String node : List.of("a", "b", "c")) {
            candidacies.add(fixture().tenure(node).elect(NAME).perform(dutyLog().duty(node)));
        }

        DutyLog.Entry leader = fixture().awaitRunning();
        fixture().await().untilPassed(TestScale.of(fixture().ttl(), 1.2));

        assertThat(candidacies).filteredOn(Candidacy::isLeading).hasSize(1);
        assertThat(dutyLog().entries()).as("one term, however many heartbeats").hasSize(1);
        assertThat(leader.leadership().isValid()).isTrue();
    }

    @Test
    default void a_notification_that_was_lost_is_made_up_for_within_two_ttls() {
        Tenure a = fixture().tenure("a");
        List<Candidacy> leading = new ArrayList<>();
        List<Candidacy> waiting = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            leading.add(a.elect("many-" + i).perform(dutyLog().duty("a")));
        }
        fixture().await().until("a leads in all", () -> leading.stream().allMatch(Candidacy::isLeading));
        Tenure deaf = fixture().deafTenure("b");
        for (int i = 0; i < MANY; i++) {
            waiting.add(deaf.elect("many-" + i).perform(dutyLog().duty("b")));
        }
        Candidacy last = waiting.get(MANY - 1);
        fixture()
                .await()
                .untilPassed(TestScale.of(fixture().ttl(), 3)); // long enough that it looks only for what has changed

        leading.get(MANY - 1).close();

        assertThat(fixture().await().within(TestScale.of(fixture().ttl(), 2), last::isLeading))
                .as("the standby leads where the leader has left")
                .isTrue();
    }

    @Test
    default void when_the_leader_leaves_another_takes_over_after_it_has_stopped() {
        Map<String, Tenure> nodes = Map.of(
                "a",
                fixture().tenure("a"),
                "b",
                fixture().tenure("b"),
                "c",
                fixture().tenure("c"));
        nodes.forEach((node, tenure) -> tenure.elect(NAME).perform(dutyLog().duty(node)));
        DutyLog.Entry first = fixture().awaitRunning();

        of(first, nodes).close();
        DutyLog.Entry second = fixture().awaitAfter(first);
        of(second, nodes).close();
        DutyLog.Entry third = fixture().awaitAfter(second);

        assertThat(List.of(first.by(), second.by(), third.by())).doesNotHaveDuplicates();
        dutyLog().assertInOrder();
    }

    @Test
    default void who_resigns_lets_others_go_first_and_stands_again() {
        Tenure a = fixture().tenure("a");
        Tenure b = fixture().tenure("b");
        Map<String, Candidacy> standing = Map.of(
                "a", a.elect(NAME).perform(dutyLog().duty("a")),
                "b", b.elect(NAME).perform(dutyLog().duty("b")));
        DutyLog.Entry first = fixture().awaitRunning();
        awaitKnowsLeader(a);
        awaitKnowsLeader(b);

        of(first, standing).resign("deploy");
        DutyLog.Entry second = fixture().awaitAfter(first);
        of(second, standing).close();
        DutyLog.Entry third = fixture().awaitAfter(second);

        assertThat(second.by()).isNotEqualTo(first.by());
        assertThat(third.by()).isEqualTo(first.by());
        dutyLog().assertInOrder();
    }

    @Test
    default void a_process_that_is_never_notified_still_leads_after_another_has_resigned() {
        Candidacy first = fixture().tenure("a").elect(NAME).perform(dutyLog().duty("a"));
        DutyLog.Entry before = fixture().awaitRunning();
        Tenure deaf = fixture().deafTenure("b");
        deaf.elect(NAME).perform(dutyLog().duty("b"));
        awaitKnowsLeader(deaf);

        first.resign("deploy");

        assertThat(fixture().awaitAfter(before).by()).isEqualTo("b");
    }

    @Test
    default void two_processes_with_the_same_name_are_still_two() {
        Candidacy one = fixture().tenure("pod").elect(NAME).perform(dutyLog().duty("one"));
        Candidacy two = fixture().tenure("pod").elect(NAME).perform(dutyLog().duty("two"));
        DutyLog.Entry first = fixture().awaitRunning();
        fixture().await().untilPassed(TestScale.of(fixture().ttl(), 1.2));
        assertThat(one.isLeading() ^ two.isLeading()).as("one of the two leads").isTrue();

        (first.by().equals("one") ? one : two).close();
        DutyLog.Entry second = fixture().awaitAfter(first);

        assertThat(second.by()).isNotEqualTo(first.by());
        dutyLog().assertInOrder();
    }

    @Test
    default void a_process_that_vanished_is_replaced() {
        RawSession vanished = fixture().client().open("vanished");
        ClaimReply.Granted before = vanished.take(ELECTION);
        Tenure tenure = fixture().tenure("heir");
        tenure.elect(NAME).perform(dutyLog().duty("heir"));

        vanished.fallSilent();

        assertThat(fixture().awaitRunning().token()).isGreaterThan(before.token());
        assertThat(tenure.stats().failovers()).isEqualTo(1);
    }

    @Test
    default void everybody_sees_who_leads_and_its_metadata() {
        Tenure leader = fixture().tenure("leader");
        Tenure observer = fixture().tenure("observer");
        assertThat(fixture().await().reply(observer.leaderOf(NAME))).isEmpty();
        leader.elect(NAME)
                .as("pod-7")
                .metadata("address", "10.0.0.7:9090")
                .perform(dutyLog().duty("leader"));

        DutyLog.Entry term = fixture().awaitRunning();
        Leader seen = fixture().await().reply(observer.leaderOf(NAME)).orElseThrow();

        assertThat(seen.node()).isEqualTo("pod-7");
        assertThat(seen.token()).isEqualTo(term.token());
        assertThat(seen.metadata("address")).isEqualTo("10.0.0.7:9090");
        assertThat(fixture().await().reply(observer.elections())).containsEntry(ELECTION, Optional.of(seen));
    }

    @Test
    default void metadata_that_is_too_large_is_refused_and_not_cut() {
        Tenure tenure = fixture().tenure("a");

        assertThatThrownBy(() -> tenure.elect(NAME).metadata("k", "x".repeat(LeaderMetadata.BYTES_MAX)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(Integer.toString(LeaderMetadata.BYTES_MAX));
    }

    @Test
    default void a_watcher_sees_every_leader_in_turn_and_tokens_never_go_back() {
        List<LeaderWatch.Change> changes = new CopyOnWriteArrayList<>();
        LeaderWatch watch = fixture().tenure("observer").observe(NAME);
        watch.onChange(changes::add);
        List<FencingToken> seen = new ArrayList<>();

        for (String node : List.of("a", "b", "c")) {
            Tenure tenure = fixture().tenure(node);
            tenure.elect(NAME).perform(dutyLog().duty(node));
            fixture().awaitRunning();
            fixture().await().until("the watcher sees " + node, () -> {
                Optional<Leader> leader =
                        watch.leader().filter(now -> now.node().equals(node));
                leader.ifPresent(now -> seen.add(now.token()));
                return leader.isPresent();
            });
            tenure.close();
            fixture()
                    .await()
                    .until(
                            "the watcher sees that nobody leads",
                            () -> watch.state() instanceof LeaderWatch.LeaderState.Vacant);
        }

        fixture()
                .await()
                .until("every change was told", () -> leadersIn(changes).containsAll(seen));
        assertThat(leadersIn(changes)).containsSubsequence(seen).isSorted();
    }

    private static List<FencingToken> leadersIn(List<LeaderWatch.Change> changes) {
        return changes.stream()
                .flatMap(change -> change.to().stream())
                .map(Leader::token)
                .distinct()
                .toList();
    }

    @Test
    default void an_operator_can_ask_the_leader_to_step_down() {
        fixture().tenure("a").elect(NAME).perform(dutyLog().duty("a"));
        fixture().tenure("b").elect(NAME).perform(dutyLog().duty("b"));
        DutyLog.Entry first = fixture().awaitRunning();

        Optional<Leader> asked =
                fixture().await().reply(fixture().tenure("operator").askToResign(NAME));
        DutyLog.Entry second = fixture().awaitAfter(first);
        fixture().await().untilPassed(TestScale.of(fixture().ttl(), 0.6));

        assertThat(asked.map(Leader::token)).contains(first.token());
        assertThat(second.by()).isNotEqualTo(first.by());
        assertThat(dutyLog().latest())
                .as("the request is not obeyed again by the next leader")
                .isSameAs(second);
        dutyLog().assertInOrder();
    }

    @Test
    default void a_request_for_an_older_token_is_ignored_and_removed() {
        Tenure tenure = fixture().tenure("a");
        Candidacy candidacy = tenure.elect(NAME).perform(dutyLog().duty("a"));
        DutyLog.Entry first = fixture().awaitRunning();
        candidacy.resign("to have an older token");
        DutyLog.Entry second = fixture().awaitAfter(first);

        fixture().client().request(resign(ELECTION, first.token(), "late"));
        fixture()
                .client()
                .request(resign(ELECTION, new FencingToken(first.token().value() - 1), "later"));
        fixture().await().untilPassed(TestScale.of(fixture().ttl(), 0.8));

        assertThat(dutyLog().latest()).isSameAs(second);
        assertThat(second.leadership().isActive()).isTrue();
        RawSession witness = fixture().client().open();
        int renewed = witness.renewals();
        fixture().await().until("two heartbeats", () -> witness.renewals() >= renewed + 2);
        assertThat(witness.events().requests()).isEmpty();
    }

    @Test
    default void nobody_to_ask_is_told_as_such() {
        assertThat(fixture().await().reply(fixture().tenure("operator").askToResign(NAME)))
                .isEmpty();
    }

    @Test
    default void raising_the_era_lifts_the_next_term() {
        Tenure tenure = fixture().tenure("a");
        Candidacy candidacy = tenure.elect(NAME).perform(dutyLog().duty("a"));
        DutyLog.Entry first = fixture().awaitRunning();

        StoreEra raised = fixture().await().reply(fixture().tenure("operator").raiseEra());
        candidacy.resign("to get a new token");
        DutyLog.Entry second = fixture().awaitAfter(first);

        assertThat(raised.era()).isEqualTo(first.token().era() + 1);
        assertThat(second.token().era()).isEqualTo(raised.era());
        assertThat(fixture().await().reply(tenure.era())).isEqualTo(raised);
    }

    @Test
    default void the_statistics_tell_what_happened() {
        Tenure leader = fixture().tenure("leader");
        leader.elect(NAME).perform(dutyLog().duty("leader"));
        DutyLog.Entry term = fixture().awaitRunning();
        Tenure follower = fixture().tenure("follower");
        follower.elect(NAME).perform(dutyLog().duty("follower"));

        fixture().await().until("some renewals", () -> leader.stats().renewals() > 1);
        Stats stats = leader.stats();
        Stats.ElectionStats election =
                Optional.ofNullable(stats.byElection().get(ELECTION)).orElseThrow();

        assertThat(stats.elections()).isEqualTo(1);
        assertThat(stats.leading()).isEqualTo(1);
        assertThat(stats.terms()).isEqualTo(1);
        assertThat(stats.failovers()).isZero();
        assertThat(election.token()).contains(term.token());
        assertThat(election.tokenAge()).isPositive();
        assertThat(follower.stats().leading()).isZero();
        assertThat(follower.stats().terms()).isZero();
    }

    @Test
    default void a_client_that_finds_its_backend_by_url_stands_in_the_same_elections() {
        Optional<String> url = fixture().url();
        assumeTrue(url.isPresent(), "this backend was given no URL to test");
        fixture().tenure("by door").elect(NAME).perform(dutyLog().duty("by door"));
        DutyLog.Entry first = fixture().awaitRunning();
        Tenure byUrl = fixture().tenureAt(url.orElseThrow(), "by url");

        Leader seen = fixture().await().reply(byUrl.leaderOf(NAME)).orElseThrow();

        assertThat(seen.token()).isEqualTo(first.token());
        // The grade, which version it is and how many members it has may be known only once a store was asked.
        assertThat(byUrl.traits())
                .usingRecursiveComparison()
                .ignoringFields("store", "grade", "gradeReason", "members")
                .isEqualTo(fixture().traits());
    }

    @Test
    default void a_closed_candidacy_has_retired_and_nothing_of_it_runs() {
        Tenure tenure = fixture().tenure("a");
        Candidacy candidacy = tenure.elect(NAME).perform(dutyLog().duty("a"));
        DutyLog.Entry term = fixture().awaitRunning();

        candidacy.close();

        assertThat(fixture().await().reply(candidacy.retired())).isEqualTo(new Loss.Closed());
        assertThat(term.hasEnded()).isTrue();
        assertThat(term.leadership().isValid()).isFalse();
        assertThat(fixture().await().reply(tenure.leaderOf(NAME))).isEmpty();
    }
}
