package dev.tenure.contract;

import static dev.tenure.contract.ObservationCases.resign;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tenure.Candidacy;
import dev.tenure.Card;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
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
        lab().patience().until("it knows who leads", () -> {
            Optional<Duration> now = Optional.ofNullable(
                            tenure.stats().byElection().get(ELECTION))
                    .map(Stats.ElectionStats::withoutLeader);
            return now.isPresent() && now.get().equals(before.getAndSet(now.get()));
        });
    }

    private static <T> T of(Logbook.Entry entry, Map<String, T> byNode) {
        return Optional.ofNullable(byNode.get(entry.by())).orElseThrow();
    }

    @Test
    default void of_three_candidates_exactly_one_leads() {
        List<Candidacy> candidacies = new ArrayList<>();
        for (String node : List.of("a", "b", "c")) {
            candidacies.add(lab().tenure(node).elect(NAME).perform(logbook().duty(node)));
        }

        Logbook.Entry leader = lab().awaitRunning();
        lab().patience().untilPassed(Scale.of(lab().ttl(), 1.2));

        assertThat(candidacies).filteredOn(Candidacy::isLeading).hasSize(1);
        assertThat(logbook().entries()).as("one term, however many heartbeats").hasSize(1);
        assertThat(leader.leadership().isValid()).isTrue();
    }

    @Test
    default void a_notification_that_was_lost_is_made_up_for_within_two_ttls() {
        Tenure a = lab().tenure("a");
        List<Candidacy> leading = new ArrayList<>();
        List<Candidacy> waiting = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            leading.add(a.elect("many-" + i).perform(logbook().duty("a")));
        }
        lab().patience().until("a leads in all", () -> leading.stream().allMatch(Candidacy::isLeading));
        Tenure deaf = lab().deafTenure("b");
        for (int i = 0; i < MANY; i++) {
            waiting.add(deaf.elect("many-" + i).perform(logbook().duty("b")));
        }
        Candidacy last = waiting.get(MANY - 1);
        lab().patience().untilPassed(Scale.of(lab().ttl(), 3)); // long enough that it looks only for what has changed

        leading.get(MANY - 1).close();

        assertThat(lab().patience().within(Scale.of(lab().ttl(), 2), last::isLeading))
                .as("the standby leads where the leader has left")
                .isTrue();
    }

    @Test
    default void when_the_leader_leaves_another_takes_over_after_it_has_stopped() {
        Map<String, Tenure> nodes = Map.of("a", lab().tenure("a"), "b", lab().tenure("b"), "c", lab().tenure("c"));
        nodes.forEach((node, tenure) -> tenure.elect(NAME).perform(logbook().duty(node)));
        Logbook.Entry first = lab().awaitRunning();

        of(first, nodes).close();
        Logbook.Entry second = lab().awaitAfter(first);
        of(second, nodes).close();
        Logbook.Entry third = lab().awaitAfter(second);

        assertThat(List.of(first.by(), second.by(), third.by())).doesNotHaveDuplicates();
        logbook().assertInOrder();
    }

    @Test
    default void who_resigns_lets_others_go_first_and_stands_again() {
        Tenure a = lab().tenure("a");
        Tenure b = lab().tenure("b");
        Map<String, Candidacy> standing = Map.of(
                "a", a.elect(NAME).perform(logbook().duty("a")),
                "b", b.elect(NAME).perform(logbook().duty("b")));
        Logbook.Entry first = lab().awaitRunning();
        awaitKnowsLeader(a);
        awaitKnowsLeader(b);

        of(first, standing).resign("deploy");
        Logbook.Entry second = lab().awaitAfter(first);
        of(second, standing).close();
        Logbook.Entry third = lab().awaitAfter(second);

        assertThat(second.by()).isNotEqualTo(first.by());
        assertThat(third.by()).isEqualTo(first.by());
        logbook().assertInOrder();
    }

    @Test
    default void two_processes_with_the_same_name_are_still_two() {
        Candidacy one = lab().tenure("pod").elect(NAME).perform(logbook().duty("one"));
        Candidacy two = lab().tenure("pod").elect(NAME).perform(logbook().duty("two"));
        Logbook.Entry first = lab().awaitRunning();
        lab().patience().untilPassed(Scale.of(lab().ttl(), 1.2));
        assertThat(one.isLeading() ^ two.isLeading()).as("one of the two leads").isTrue();

        (first.by().equals("one") ? one : two).close();
        Logbook.Entry second = lab().awaitAfter(first);

        assertThat(second.by()).isNotEqualTo(first.by());
        logbook().assertInOrder();
    }

    @Test
    default void a_process_that_vanished_is_replaced() {
        RawSession vanished = lab().client().open("vanished");
        ClaimReply.Granted before = vanished.take(ELECTION);
        Tenure tenure = lab().tenure("heir");
        tenure.elect(NAME).perform(logbook().duty("heir"));

        vanished.fallSilent();

        assertThat(lab().awaitRunning().token()).isGreaterThan(before.token());
        assertThat(tenure.stats().failovers()).isEqualTo(1);
    }

    @Test
    default void everybody_sees_who_leads_and_what_its_card_says() {
        Tenure leader = lab().tenure("leader");
        Tenure observer = lab().tenure("observer");
        assertThat(lab().patience().reply(observer.leaderOf(NAME))).isEmpty();
        leader.elect(NAME)
                .as("pod-7")
                .card("address", "10.0.0.7:9090")
                .perform(logbook().duty("leader"));

        Logbook.Entry term = lab().awaitRunning();
        Leader seen = lab().patience().reply(observer.leaderOf(NAME)).orElseThrow();

        assertThat(seen.node()).isEqualTo("pod-7");
        assertThat(seen.token()).isEqualTo(term.token());
        assertThat(seen.card("address")).isEqualTo("10.0.0.7:9090");
        assertThat(lab().patience().reply(observer.elections())).containsEntry(ELECTION, Optional.of(seen));
    }

    @Test
    default void a_card_that_is_too_large_is_refused_and_not_cut() {
        Tenure tenure = lab().tenure("a");

        assertThatThrownBy(() -> tenure.elect(NAME).card("k", "x".repeat(Card.BYTES_MAX)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(Integer.toString(Card.BYTES_MAX));
    }

    @Test
    default void a_watcher_sees_every_leader_in_turn_and_tokens_never_go_back() {
        List<LeaderWatch.Change> changes = new CopyOnWriteArrayList<>();
        LeaderWatch watch = lab().tenure("observer").observe(NAME);
        watch.onChange(changes::add);
        List<FencingToken> seen = new ArrayList<>();

        for (String node : List.of("a", "b", "c")) {
            Tenure tenure = lab().tenure(node);
            tenure.elect(NAME).perform(logbook().duty(node));
            lab().awaitRunning();
            lab().patience().until("the watcher sees " + node, () -> {
                Optional<Leader> leader =
                        watch.leader().filter(now -> now.node().equals(node));
                leader.ifPresent(now -> seen.add(now.token()));
                return leader.isPresent();
            });
            tenure.close();
            lab().patience()
                    .until(
                            "the watcher sees that nobody leads",
                            () -> watch.sight() instanceof LeaderWatch.Sight.Vacant);
        }

        lab().patience().until("every change was told", () -> leadersIn(changes).containsAll(seen));
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
        lab().tenure("a").elect(NAME).perform(logbook().duty("a"));
        lab().tenure("b").elect(NAME).perform(logbook().duty("b"));
        Logbook.Entry first = lab().awaitRunning();

        Optional<Leader> asked = lab().patience().reply(lab().tenure("operator").askToResign(NAME));
        Logbook.Entry second = lab().awaitAfter(first);
        lab().patience().untilPassed(Scale.of(lab().ttl(), 0.6));

        assertThat(asked.map(Leader::token)).contains(first.token());
        assertThat(second.by()).isNotEqualTo(first.by());
        assertThat(logbook().latest())
                .as("the request is not obeyed again by the next leader")
                .isSameAs(second);
        logbook().assertInOrder();
    }

    @Test
    default void a_request_for_an_older_token_is_ignored_and_removed() {
        Tenure tenure = lab().tenure("a");
        Candidacy candidacy = tenure.elect(NAME).perform(logbook().duty("a"));
        Logbook.Entry first = lab().awaitRunning();
        candidacy.resign("to have an older token");
        Logbook.Entry second = lab().awaitAfter(first);

        lab().client().request(resign(ELECTION, first.token(), "late"));
        lab().client().request(resign(ELECTION, new FencingToken(first.token().value() - 1), "later"));
        lab().patience().untilPassed(Scale.of(lab().ttl(), 0.8));

        assertThat(logbook().latest()).isSameAs(second);
        assertThat(second.leadership().isActive()).isTrue();
        RawSession witness = lab().client().open();
        int renewed = witness.renewals();
        lab().patience().until("two heartbeats", () -> witness.renewals() >= renewed + 2);
        assertThat(witness.events().requests()).isEmpty();
    }

    @Test
    default void nobody_to_ask_is_told_as_such() {
        assertThat(lab().patience().reply(lab().tenure("operator").askToResign(NAME)))
                .isEmpty();
    }

    @Test
    default void raising_the_era_lifts_the_next_term() {
        Tenure tenure = lab().tenure("a");
        Candidacy candidacy = tenure.elect(NAME).perform(logbook().duty("a"));
        Logbook.Entry first = lab().awaitRunning();

        StoreEra raised = lab().patience().reply(lab().tenure("operator").raiseEra());
        candidacy.resign("to get a new token");
        Logbook.Entry second = lab().awaitAfter(first);

        assertThat(raised.era()).isEqualTo(first.token().era() + 1);
        assertThat(second.token().era()).isEqualTo(raised.era());
        assertThat(lab().patience().reply(tenure.era())).isEqualTo(raised);
    }

    @Test
    default void the_statistics_tell_what_happened() {
        Tenure leader = lab().tenure("leader");
        leader.elect(NAME).perform(logbook().duty("leader"));
        Logbook.Entry term = lab().awaitRunning();
        Tenure follower = lab().tenure("follower");
        follower.elect(NAME).perform(logbook().duty("follower"));

        lab().patience().until("some renewals", () -> leader.stats().renewals() > 1);
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
        Optional<String> url = lab().url();
        assumeTrue(url.isPresent(), "this backend was given no URL to test");
        lab().tenure("by door").elect(NAME).perform(logbook().duty("by door"));
        Logbook.Entry first = lab().awaitRunning();
        Tenure byUrl = lab().tenureAt(url.orElseThrow(), "by url");

        Leader seen = lab().patience().reply(byUrl.leaderOf(NAME)).orElseThrow();

        assertThat(seen.token()).isEqualTo(first.token());
        // The grade, which version it is and how many members it has may be known only once a store was asked.
        assertThat(byUrl.traits())
                .usingRecursiveComparison()
                .ignoringFields("store", "grade", "gradeReason", "members")
                .isEqualTo(lab().traits());
    }

    @Test
    default void a_closed_candidacy_has_retired_and_nothing_of_it_runs() {
        Tenure tenure = lab().tenure("a");
        Candidacy candidacy = tenure.elect(NAME).perform(logbook().duty("a"));
        Logbook.Entry term = lab().awaitRunning();

        candidacy.close();

        assertThat(lab().patience().reply(candidacy.retired())).isEqualTo(new Loss.Closed());
        assertThat(term.hasEnded()).isTrue();
        assertThat(term.leadership().isValid()).isFalse();
        assertThat(lab().patience().reply(tenure.leaderOf(NAME))).isEmpty();
    }
}
