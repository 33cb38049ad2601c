// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static dev.tenure.fakes.Scene.TTL;
import static dev.tenure.fakes.Scene.untilLost;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore;
import dev.tenure.fakes.MemoryStore.Fate;
import dev.tenure.fakes.Scene;
import dev.tenure.fakes.ScriptedBackend;
import dev.tenure.spi.Observation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Observers: what they may show, and what the counters say. */
class WatchingTest {
    private final Scene scene = new Scene();
    private final ManualHost host = scene.host;
    private final MemoryStore store = scene.store;
    private final Tenure a = scene.client("a");
    private final Tenure observer = scene.client("observer");

    @Test
    void before_the_first_contact_nothing_is_known() {
        assertThat(observer.observe("x").state()).isEqualTo(new LeaderWatch.LeaderState.Unknown());
    }

    @Test
    void a_watch_follows_from_vacant_to_leader_to_vacant() {
        LeaderWatch watch = observer.observe("x");
        host.settle();
        assertThat(watch.state()).isEqualTo(new LeaderWatch.LeaderState.Vacant());
        Candidacy candidacy = a.elect("x").perform(untilLost());
        host.settle();
        assertThat(watch.leader().orElseThrow().node()).isEqualTo("a");

        candidacy.close();
        host.settle();

        assertThat(watch.state()).isEqualTo(new LeaderWatch.LeaderState.Vacant());
        assertThat(watch.leader()).isEmpty();
    }

    @Test
    void without_notifications_a_poll_finds_the_leader() {
        store.mute();
        LeaderWatch watch = observer.observe("x");
        host.settle();
        a.elect("x").perform(untilLost());

        host.advance(TTL);

        assertThat(watch.leader()).isPresent();
    }

    @Test
    void a_leader_that_fell_silent_is_not_shown_any_more() {
        MemoryStore shared = new MemoryStore(host);
        ManualHost dead = new ManualHost(5);
        Tenure dying = Tenure.using(shared).host(dead).node("dying").ttl(TTL).open();
        Tenure watching =
                Tenure.using(shared).host(host).node("watching").ttl(TTL).open();
        dying.elect("x").perform(untilLost());
        dead.settle();
        LeaderWatch watch = watching.observe("x");
        host.settle();
        assertThat(watch.leader()).isPresent();

        host.advance(TTL.multipliedBy(2));

        assertThat(watch.state()).isEqualTo(new LeaderWatch.LeaderState.Vacant());
    }

    @Test
    void without_contact_it_is_unknown_and_never_a_stale_name() {
        a.elect("x").perform(untilLost());
        LeaderWatch watch = observer.observe("x");
        host.advance(Duration.ofSeconds(1));
        assertThat(watch.leader()).isPresent();

        store.fateOfAll("read ", Fate.FAIL_UNKNOWN);
        host.advance(TTL.multipliedBy(2));

        assertThat(watch.state()).isEqualTo(new LeaderWatch.LeaderState.Unknown());
        store.heal();
        host.advance(TTL);
        assertThat(watch.leader()).isPresent();
    }

    /** A watch of a store whose looks the test answers itself. */
    private LeaderWatch watchOf(List<CompletableFuture<Observation>> looks) {
        ScriptedBackend slow = new ScriptedBackend();
        slow.onRead = election -> {
            CompletableFuture<Observation> look = new CompletableFuture<>();
            looks.add(look);
            return look;
        };
        LeaderWatch watch =
                Tenure.using(slow).host(host).node("watching").ttl(TTL).open().observe("x");
        host.settle();
        return watch;
    }

    private static Observation led() {
        ElectionName x = ElectionName.of("x");
        Leader leader = new Leader(x, "slow", new FencingToken(7), Instant.EPOCH, LeaderMetadata.EMPTY);
        return new Observation(x, Optional.of(leader), 7);
    }

    @Test
    void an_answer_that_took_a_ttl_does_not_show_who_led_when_it_was_asked_for() {
        List<CompletableFuture<Observation>> looks = new ArrayList<>();
        LeaderWatch watch = watchOf(looks);
        host.advance(TTL);

        looks.get(0).complete(led());
        host.settle();

        assertThat(watch.state()).isEqualTo(new LeaderWatch.LeaderState.Unknown());
    }

    @Test
    void an_answer_that_a_later_one_has_overtaken_does_not_bring_a_leader_back() {
        List<CompletableFuture<Observation>> looks = new ArrayList<>();
        LeaderWatch watch = watchOf(looks);
        host.advance(TTL.dividedBy(2));
        looks.get(1).complete(new Observation(ElectionName.of("x"), Optional.empty(), 7));
        host.settle();

        looks.get(0).complete(led());
        host.settle();

        assertThat(watch.state()).isEqualTo(new LeaderWatch.LeaderState.Vacant());
    }

    @Test
    void changes_are_told_in_order_after_the_present_state() {
        List<String> seen = new ArrayList<>();
        LeaderWatch watch = observer.observe("x");
        host.settle();
        watch.onChange(change -> seen.add(change.from().map(Leader::node).orElse("-") + ">"
                + change.to().map(Leader::node).orElse("-")));
        host.settle();
        Candidacy candidacy = a.elect("x").perform(untilLost());
        host.settle();
        candidacy.close();
        host.settle();

        assertThat(seen).containsExactly("->-", "->a", "a>-");
        assertThat(scene.events(TenureEvent.LeaderChanged.class)).hasSize(2);
    }

    @Test
    void that_it_is_known_later_since_when_somebody_leads_is_no_change() {
        a.elect("x").perform(untilLost());
        LeaderWatch watch = observer.observe("x");
        host.settle();
        List<LeaderWatch.Change> told = new ArrayList<>();
        watch.onChange(told::add);
        host.settle();
        told.clear();

        store.put("c/x", store.peek("c/x").value().replaceAll("sinceMillis=[0-9]+", "sinceMillis=1"));
        host.advance(TTL);

        assertThat(watch.leader().orElseThrow().since().toEpochMilli()).isEqualTo(1);
        assertThat(told).isEmpty();
        assertThat(scene.events(TenureEvent.LeaderChanged.class)).hasSize(1);
    }

    @Test
    void tokens_never_go_back_and_an_emptied_store_shows_nobody() {
        Candidacy candidacy = a.elect("x").perform(untilLost());
        LeaderWatch watch = observer.observe("x");
        host.advance(Duration.ofSeconds(1));
        FencingToken seen = watch.leader().orElseThrow().token();
        assertThat(candidacy.isLeading()).isTrue();

        store.remove("c/x");
        host.advance(Duration.ofMillis(1));
        var asked = observer.leaderOf("x").toCompletableFuture();
        host.advance(TTL.dividedBy(2));

        assertThat(asked.join()).isEmpty();
        assertThat(watch.leader()
                        .map(leader -> !seen.isNewerThan(leader.token()))
                        .orElse(true))
                .isTrue();
    }

    @Test
    void a_restored_record_with_an_older_token_is_not_shown_as_the_leader() {
        Candidacy candidacy = a.elect("x").perform(untilLost());
        host.settle();
        String old = store.peek("c/x").value();
        candidacy.resign("one");
        host.advance(TTL.multipliedBy(2));
        LeaderWatch watch = observer.observe("x");
        host.settle();
        FencingToken newer = watch.leader().orElseThrow().token();
        store.fateOfAll("set c/", Fate.FAIL_NONE); // nobody repairs it meanwhile

        store.put("c/x", old);
        host.advance(TTL);

        assertThat(watch.leader().filter(leader -> newer.isNewerThan(leader.token())))
                .isEmpty();
    }

    @Test
    void a_leader_that_is_shown_a_newer_term_of_its_election_stops() {
        LeaderWatch watch = a.observe("x");
        a.elect("x").perform(untilLost());
        host.settle();
        long token = watch.leader().orElseThrow().token().value();

        store.put("c/x", store.peek("c/x").value().replace("token=" + token, "token=" + (token + 5)));
        host.advance(TTL);

        TenureEvent.DrainBegan ended =
                scene.events(TenureEvent.DrainBegan.class).get(0);
        assertThat(ended.term().token().value()).isEqualTo(token);
        assertThat(ended.loss()).isInstanceOf(Loss.Superseded.class);
    }

    @Test
    void waiting_for_a_leader_is_bounded_and_ends_with_one() throws InterruptedException {
        LeaderWatch watch = observer.observe("x");
        long before = host.nanos();
        assertThat(watch.await(Duration.ofSeconds(2))).isEmpty();
        assertThat(host.nanos() - before).isEqualTo(Duration.ofSeconds(2).toNanos());
        a.elect("x").perform(untilLost());

        Optional<Leader> leader = watch.await(Duration.ofSeconds(2));

        assertThat(leader).isPresent();
    }

    @Test
    void a_closed_watch_hears_and_asks_nothing() {
        List<LeaderWatch.Change> seen = new ArrayList<>();
        LeaderWatch watch = observer.observe("x");
        watch.onChange(seen::add);
        host.settle();
        seen.clear();
        watch.close();
        host.settle();
        store.calls();

        host.advance(TTL.multipliedBy(3));

        assertThat(store.calls()).isEmpty();
        assertThat(seen).isEmpty();
    }

    @Test
    void all_elections_are_listed_with_their_leaders() {
        a.elect("x").perform(untilLost());
        a.elect("y").perform(leadership -> {});
        host.advance(Duration.ofSeconds(1));

        var all = observer.elections().toCompletableFuture();
        host.settle();

        assertThat(all.join()).containsOnlyKeys(ElectionName.of("x"), ElectionName.of("y"));
        assertThat(all.join().get(ElectionName.of("x"))).isPresent();
        assertThat(all.join().get(ElectionName.of("y"))).isEmpty();
    }

    @Test
    void a_question_to_a_silent_store_is_answered_with_its_silence() {
        store.fateOfAll("read ", Fate.DROP);
        var asked = observer.leaderOf("x").toCompletableFuture();
        host.advance(Duration.ofSeconds(6));

        assertThat(asked).isCompletedExceptionally();
    }

    @Test
    void counters_tell_terms_tokens_and_time_without_a_leader() {
        host.advance(Duration.ofSeconds(3));
        Candidacy candidacy = a.elect("x").perform(untilLost());
        host.advance(Duration.ofSeconds(5));
        Stats leading = a.stats();
        candidacy.resign("deploy");
        host.advance(Duration.ofSeconds(2));
        Stats resting = a.stats();

        Stats.ElectionStats first = leading.byElection().get(ElectionName.of("x"));
        assertThat(leading.elections()).isEqualTo(1);
        assertThat(leading.leading()).isEqualTo(1);
        assertThat(leading.terms()).isEqualTo(1);
        assertThat(leading.renewals()).isEqualTo(2);
        assertThat(first.token()).isEqualTo(candidacyToken(1));
        assertThat(first.tokenAge()).isEqualTo(Duration.ofSeconds(5));
        assertThat(first.withoutLeader()).isZero();
        assertThat(resting.leading()).isZero();
        assertThat(resting.byElection().get(ElectionName.of("x")).withoutLeader())
                .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(2));
    }

    @Test
    void the_time_without_a_leader_is_a_total_that_only_a_new_candidacy_resets() {
        Candidacy candidacy = a.elect("x").perform(untilLost());
        host.settle();
        candidacy.resign("deploy");
        host.advance(Duration.ofSeconds(1));
        Candidacy other = scene.client("b").elect("x").perform(untilLost());
        host.advance(Duration.ofMinutes(1));

        Duration otherLeads = withoutLeader(a);
        host.advance(Duration.ofMinutes(1));
        Duration otherStillLeads = withoutLeader(a);
        other.close();
        host.advance(Duration.ofMinutes(1));
        Duration leadsAgain = withoutLeader(a);
        candidacy.close();
        a.elect("x").perform(untilLost());
        host.advance(Duration.ofSeconds(1));

        assertThat(otherLeads).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
        assertThat(otherStillLeads).isEqualTo(otherLeads);
        assertThat(leadsAgain).isEqualTo(otherLeads);
        assertThat(withoutLeader(a)).isZero();
    }

    private static Duration withoutLeader(Tenure tenure) {
        return tenure.stats().byElection().get(ElectionName.of("x")).withoutLeader();
    }

    private Optional<FencingToken> candidacyToken(int term) {
        return Optional.of(
                scene.events(TenureEvent.Elected.class).get(term - 1).term().token());
    }

    @Test
    void many_elections_of_one_process_cost_one_renewal_a_heartbeat() {
        int elections = 2000;
        for (int i = 0; i < elections; i++) {
            a.elect("e" + i).run(new Still());
        }
        host.advance(Duration.ofSeconds(5));
        assertThat(a.stats().leading()).isEqualTo(elections);
        store.calls();

        host.advance(TTL);

        List<String> calls = store.calls();
        assertThat(calls).filteredOn(call -> call.startsWith("set ")).hasSize(4);
        assertThat(calls)
                .as("one claim is checked a TTL")
                .filteredOn(call -> call.startsWith("read c/"))
                .hasSizeLessThanOrEqualTo(1);
    }

    private static final class Still implements ActivePassive {
        @Override
        public void activate(Leadership leadership) {}

        @Override
        public void deactivate(Loss loss) {}
    }

    @Test
    void a_wiped_store_whose_era_went_back_is_led_again() {
        var raised = a.raiseEra().toCompletableFuture();
        host.settle();
        assertThat(raised.join().era()).isEqualTo(1);
        Candidacy candidacy = a.elect("x").perform(untilLost());
        host.advance(Duration.ofSeconds(1));
        FencingToken before = candidacy.term().orElseThrow().token();
        assertThat(before.era()).isEqualTo(1);

        store.keys("").forEach(store::remove);
        host.advance(Duration.ofMinutes(2));

        assertThat(candidacy.isLeading()).isTrue();
        assertThat(candidacy.term().orElseThrow().token().isNewerThan(before)).isTrue();
    }
}
