// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static dev.tenure.fakes.Scene.TAKEOVER;
import static dev.tenure.fakes.Scene.TTL;
import static dev.tenure.fakes.Scene.untilLost;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore;
import dev.tenure.fakes.MemoryStore.Fate;
import dev.tenure.fakes.Scene;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A candidacy from outside: how it leads, why it ends, and when it stands again. */
class CandidacyTest {
    private final Scene scene = new Scene();
    private final ManualHost host = scene.host;
    private final MemoryStore store = scene.store;
    private final Tenure a = scene.client("a");
    private final Tenure b = scene.client("b");

    private static Loss retiredWith(Candidacy candidacy) {
        CompletableFuture<Loss> retired = candidacy.retired().toCompletableFuture();
        assertThat(retired).isDone();
        return retired.join();
    }

    @Test
    void a_duty_runs_while_leading_and_its_return_completes_the_candidacy() {
        List<FencingToken> led = new ArrayList<>();
        Candidacy candidacy = a.elect("x").perform(leadership -> {
            led.add(leadership.token());
            leadership.rest(Duration.ofSeconds(3));
        });
        host.advance(Duration.ofSeconds(1));
        assertThat(candidacy.isLeading()).isTrue();
        assertThat(candidacy.term().orElseThrow().token()).isEqualTo(led.get(0));

        host.advance(Duration.ofSeconds(3));

        assertThat(retiredWith(candidacy)).isEqualTo(new Loss.Completed());
        assertThat(candidacy.standing()).isEqualTo(new Standing.Retired(new Loss.Completed()));
        assertThat(candidacy.term()).isEmpty();
        assertThat(led).hasSize(1);
    }

    @Test
    void one_leads_and_the_other_waits_until_it_resigns() {
        Candidacy first = a.elect("x").perform(untilLost());
        host.settle();
        Candidacy second = b.elect("x").perform(untilLost());
        host.settle();
        assertThat(first.isLeading()).isTrue();
        assertThat(second.standing()).isEqualTo(new Standing.Standby());
        FencingToken before = first.term().orElseThrow().token();

        first.resign("deploy");
        host.advance(Duration.ofSeconds(2));

        assertThat(second.isLeading()).isTrue();
        assertThat(second.term().orElseThrow().token().isNewerThan(before)).isTrue();
        assertThat(first.standing()).isEqualTo(new Standing.Standby());
        assertThat(scene.events(TenureEvent.Lost.class))
                .extracting(TenureEvent.Lost::loss)
                .containsExactly(new Loss.Resigned("deploy"));
    }

    @Test
    void a_clean_handover_takes_milliseconds() {
        Candidacy first = a.elect("x").perform(untilLost());
        host.settle();
        Candidacy second = b.elect("x").perform(untilLost());
        host.settle();

        first.resign("deploy");
        host.advance(Duration.ofMillis(20));

        assertThat(second.isLeading()).isTrue();
    }

    /** Whoever takes over writes that down, and the one that waits hears of it: that is no sign of others. */
    @Test
    void of_two_that_hand_over_to_and_fro_nobody_makes_way_for_others_that_are_not_there() {
        Candidacy leader = a.elect("x").perform(untilLost());
        host.settle();
        Candidacy follower = b.elect("x").perform(untilLost());
        host.settle();

        for (int round = 0; round < 6; round++) {
            leader.resign("round " + round);
            host.settle(); // and no time passes

            assertThat(follower.isLeading()).as("round " + round).isTrue();
            host.advance(TTL);
            Candidacy before = leader;
            leader = follower;
            follower = before;
        }
    }

    @Test
    void who_resigns_lets_others_go_first_until_each_of_them_has_polled() {
        Candidacy alone = a.elect("x").perform(untilLost());
        host.settle();

        alone.resign("deploy");
        host.advance(TTL.multipliedBy(5).dividedBy(4));
        boolean backSoon = alone.isLeading();
        host.advance(TTL.dividedBy(2));
        boolean back = alone.isLeading();
        store.polls();
        host.advance(TTL.dividedBy(2));
        alone.resign("deploy");
        host.advance(TTL.multipliedBy(5).dividedBy(8));
        boolean backSoonWherePolled = alone.isLeading();
        host.advance(TTL.dividedBy(2));

        assertThat(backSoon).isFalse();
        assertThat(back).isTrue();
        assertThat(backSoonWherePolled).isFalse();
        assertThat(alone.isLeading()).isTrue();
    }

    @Test
    void who_resigns_is_a_standby_again_as_soon_as_another_leads() {
        Candidacy first = a.elect("x").perform(untilLost());
        host.settle();
        Candidacy second = b.elect("x").perform(untilLost());
        host.settle();

        first.resign("deploy");
        host.advance(TTL.dividedBy(2));
        second.close();
        host.settle();

        assertThat(first.isLeading()).isTrue();
    }

    @Test
    void a_client_stands_once_in_an_election() {
        Candidacy first = a.elect("x").perform(untilLost());
        host.settle();

        assertThatThrownBy(() -> a.elect("x").perform(untilLost()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("already stands in election x");
        first.close();
        Candidacy again = a.elect("x").perform(untilLost());
        host.settle();

        assertThat(again.isLeading()).isTrue();
    }

    @Test
    void a_failed_duty_stands_again_after_its_cool_down() {
        List<Long> begunMillis = new ArrayList<>();
        Candidacy candidacy = a.elect("x").coolDown(Duration.ofSeconds(7)).perform(leadership -> {
            begunMillis.add(host.nanos() / 1_000_000);
            throw new IllegalStateException("duty " + begunMillis.size());
        });
        host.advance(Duration.ofSeconds(20));

        assertThat(begunMillis).hasSize(3);
        assertThat(begunMillis.get(1) - begunMillis.get(0)).isBetween(7000L, 7100L);
        assertThat(candidacy.retired().toCompletableFuture()).isNotDone();
        assertThat(scene.events(TenureEvent.Lost.class).get(0).loss())
                .isInstanceOfSatisfying(
                        Loss.DutyFailed.class,
                        failed -> assertThat(failed.cause()).hasMessage("duty 1"));
    }

    @Test
    void a_duty_that_throws_an_error_is_a_failed_duty() {
        a.elect("x").perform(leadership -> {
            throw new StackOverflowError("deep");
        });
        host.advance(Duration.ofSeconds(1));

        assertThat(scene.events(TenureEvent.Lost.class).get(0).loss()).isInstanceOf(Loss.DutyFailed.class);
        assertThat(host.failures()).isEmpty();
    }

    @Test
    void a_repeated_duty_runs_again_under_a_higher_token() {
        List<FencingToken> led = new ArrayList<>();
        a.elect("x").repeat().perform(leadership -> led.add(leadership.token()));

        host.advance(Duration.ofSeconds(1));

        assertThat(led).hasSizeGreaterThan(3);
        for (int i = 1; i < led.size(); i++) {
            assertThat(led.get(i).isNewerThan(led.get(i - 1))).isTrue();
        }
    }

    @Test
    void a_duty_that_was_refused_by_a_fence_ends_its_term_as_fenced_and_stands_above() {
        List<FencingToken> led = new ArrayList<>();
        FencingToken seen = new FencingToken(host.wallMillis() + 50_000);
        a.elect("x").perform(leadership -> {
            led.add(leadership.token());
            if (led.size() == 1) {
                throw new StaleTokenException("ledger", leadership.term(), seen);
            }
            leadership.rest(Duration.ofHours(1));
        });
        host.advance(Duration.ofSeconds(1));

        assertThat(scene.events(TenureEvent.Lost.class).get(0).loss()).isEqualTo(new Loss.Fenced(seen));
        assertThat(led).hasSize(2);
        assertThat(led.get(1).isNewerThan(seen)).isTrue();
    }

    @Test
    void a_token_of_another_election_that_is_refused_in_a_duty_is_a_failure_of_that_duty_and_no_more() {
        Term other = new Term(ElectionName.of("other"), new FencingToken(7), new Nonce(1, 2), "a");
        FencingToken seen = FencingToken.of(3, 9);
        AtomicInteger terms = new AtomicInteger();
        Candidacy candidacy = a.elect("x").coolDown(Duration.ofSeconds(1)).perform(leadership -> {
            if (terms.incrementAndGet() == 1) {
                throw new StaleTokenException("ledger", other, seen);
            }
            untilLost().perform(leadership);
        });

        host.advance(Duration.ofSeconds(5));

        assertThat(scene.events(TenureEvent.Lost.class).get(0).loss()).isInstanceOf(Loss.DutyFailed.class);
        assertThat(candidacy.term().orElseThrow().token().era()).isZero();
    }

    @Test
    void a_loop_that_a_suspended_host_ended_has_not_completed_and_stands_again() {
        Candidacy candidacy = a.elect("x").perform(untilLost());
        host.advance(Duration.ofSeconds(1));
        assertThat(candidacy.isLeading()).isTrue();

        host.stepWall(Duration.ofMinutes(5));
        host.advance(Duration.ofSeconds(5));

        assertThat(candidacy.retired().toCompletableFuture()).isNotDone();
        assertThat(candidacy.isLeading()).isTrue();
        assertThat(scene.events(TenureEvent.Lost.class).get(0).loss()).isEqualTo(new Loss.Expired());
    }

    @Test
    void a_loop_that_a_paused_process_ended_has_not_completed_and_stands_again() {
        Candidacy candidacy = a.elect("x").perform(untilLost());
        host.advance(Duration.ofSeconds(1));

        host.pause(Duration.ofSeconds(60));
        host.advance(Duration.ofSeconds(5));

        assertThat(candidacy.retired().toCompletableFuture()).isNotDone();
        assertThat(candidacy.isLeading()).isTrue();
    }

    @Test
    void a_paused_leader_is_replaced_and_knows_it_before_it_has_spoken_to_the_store() {
        AtomicReference<Leadership> leading = new AtomicReference<>();
        ManualHost paused = new ManualHost(2);
        MemoryStore shared = new MemoryStore(host);
        Tenure zombie =
                Tenure.using(shared).host(paused).node("zombie").ttl(TTL).open();
        Tenure other = Tenure.using(shared).host(host).node("other").ttl(TTL).open();
        zombie.elect("x").perform(leadership -> {
            leading.set(leadership);
            leadership.rest(Duration.ofHours(1));
        });
        paused.settle();
        Candidacy successor = other.elect("x").perform(untilLost());
        host.advance(TAKEOVER);
        assertThat(successor.isLeading()).isTrue();

        paused.pause(TAKEOVER); // it wakes up, and has not run yet

        assertThat(leading.get().isValid()).isFalse();
        assertThat(leading.get().isActive()).isFalse();
    }

    @Test
    void a_silent_leader_steps_down_before_its_deadline_and_stands_again_after_the_outage() {
        AtomicReference<Long> endedAt = new AtomicReference<>(0L);
        long begun = host.nanos();
        Candidacy candidacy = a.elect("x").perform(leadership -> {
            untilLost().perform(leadership);
            endedAt.compareAndSet(0L, host.nanos());
        });
        host.settle();
        store.fateOfAll("", Fate.FAIL_UNKNOWN);
        host.advance(Duration.ofSeconds(30));
        assertThat(candidacy.standing()).isEqualTo(new Standing.Standby());
        assertThat(Duration.ofNanos(endedAt.get() - begun)).isBetween(Duration.ofSeconds(6), Duration.ofMillis(8750));

        store.heal();
        host.advance(Duration.ofSeconds(30));

        assertThat(candidacy.isLeading()).isTrue();
    }

    @Test
    void trouble_is_told_before_the_loss_and_so_is_its_end() {
        a.elect("x").perform(untilLost());
        host.settle();
        store.fateOfAll("set s/", Fate.FAIL_UNKNOWN);
        host.advance(Duration.ofSeconds(3));
        assertThat(scene.events(TenureEvent.AtRisk.class)).hasSizeGreaterThanOrEqualTo(1);
        assertThat(scene.events(TenureEvent.AtRisk.class).get(0).untilDrain()).isGreaterThan(Duration.ofSeconds(3));

        store.heal();
        host.advance(Duration.ofSeconds(1));

        assertThat(scene.events(TenureEvent.RenewalRecovered.class)).hasSize(1);
        assertThat(scene.events(TenureEvent.Lost.class)).isEmpty();
    }

    @Test
    void who_only_waits_is_told_as_well_that_the_store_answers_again() {
        b.elect("x").perform(untilLost());
        host.settle();
        Candidacy waiting = a.elect("x").perform(untilLost());
        host.settle();
        store.fateOfAll("set s/", Fate.FAIL_UNKNOWN);
        host.advance(Duration.ofSeconds(5)); // who holds no claim renews after 4
        assertThat(waiting.isLeading()).isFalse();
        assertThat(scene.events(TenureEvent.StoreError.class)).isNotEmpty();
        assertThat(scene.events(TenureEvent.StoreRecovered.class)).isEmpty();

        store.heal();
        host.advance(Duration.ofSeconds(1));

        assertThat(scene.events(TenureEvent.RenewalRecovered.class))
                .as("the one that leads")
                .hasSize(1);
        assertThat(scene.events(TenureEvent.StoreRecovered.class)).as("both").hasSize(2);
    }

    @Test
    void a_record_that_was_taken_away_ends_the_term_as_superseded() {
        a.elect("x").perform(untilLost());
        host.settle();
        store.put(
                "c/x",
                store.peek("c/x").value().replaceFirst("nonce=.", "nonce=0").replaceFirst("token=1", "token=2"));

        host.advance(TTL.plusSeconds(1)); // nobody has notified it

        assertThat(scene.events(TenureEvent.Lost.class).get(0).loss()).isInstanceOf(Loss.Superseded.class);
    }

    @Test
    void an_operator_can_ask_whoever_leads_to_resign() {
        Candidacy first = a.elect("x").perform(untilLost());
        host.settle();
        Candidacy second = b.elect("x").perform(untilLost());
        host.settle();

        var asked = b.askToResign("x").toCompletableFuture();
        host.advance(Duration.ofSeconds(2));

        assertThat(asked.join().orElseThrow().node()).isEqualTo("a");
        assertThat(first.isLeading()).isFalse();
        assertThat(second.isLeading()).isTrue();
        assertThat(store.keys("o/")).as("obeyed and cleared").isEmpty();
        assertThat(scene.events(TenureEvent.Lost.class).get(0).loss()).isEqualTo(new Loss.Resigned("asked by b"));
    }

    @Test
    void waiting_for_leadership_is_bounded_and_ends_with_it() throws InterruptedException {
        a.elect("x").perform(untilLost());
        host.settle();
        Candidacy waiting = b.elect("x").perform(untilLost());
        long before = host.nanos();

        assertThat(waiting.awaitLeading(Duration.ofSeconds(4))).isFalse();
        assertThat(host.nanos() - before).isEqualTo(Duration.ofSeconds(4).toNanos());
        a.close();
        assertThat(waiting.awaitLeading(Duration.ofSeconds(4))).isTrue();
    }

    @Test
    void waiting_for_leadership_ends_when_the_candidacy_does() throws InterruptedException {
        Candidacy brief = a.elect("x").perform(leadership -> {});
        host.advance(Duration.ofSeconds(1));
        assertThat(retiredWith(brief)).isEqualTo(new Loss.Completed());
        long before = host.nanos();

        assertThat(brief.awaitLeading(Duration.ofHours(1))).isFalse();

        assertThat(host.nanos()).isEqualTo(before);
    }

    @Test
    void a_claim_whose_reply_was_lost_is_released_on_close() {
        a.elect("y").perform(untilLost());
        host.settle();
        store.fate("set c/x", Fate.LOSE_REPLY);
        Candidacy candidacy = a.elect("x").perform(untilLost());
        host.advance(Duration.ofSeconds(1));
        assertThat(candidacy.isLeading()).isFalse();

        candidacy.close();

        assertThat(store.peek("c/x").value()).contains("state=VACANT");
        Candidacy next = b.elect("x").perform(untilLost());
        host.advance(Duration.ofSeconds(1));
        assertThat(next.isLeading()).isTrue();
    }

    @Test
    void a_session_that_somebody_removed_ends_its_terms_with_the_next_heartbeat_and_not_at_the_deadline() {
        a.elect("x").perform(untilLost());
        host.settle();

        store.keys("s/").forEach(store::remove);
        host.advance(TTL.dividedBy(3));

        assertThat(scene.events(TenureEvent.DrainBegan.class))
                .singleElement()
                .satisfies(ended -> assertThat(ended.loss()).isInstanceOf(Loss.SessionLost.class));
    }

    @Test
    void a_lost_session_is_left_as_soon_as_the_store_can_be_told() {
        a.elect("x").perform(untilLost());
        host.settle();
        List<String> lost = store.keys("s/");
        store.fateOfAll("", Fate.FAIL_NONE);
        host.advance(TTL); // past the deadline, and the word that it leaves does not get through

        store.heal();
        host.advance(TTL.dividedBy(5));

        assertThat(store.keys("s/")).doesNotContainAnyElementsOf(lost);
    }

    @Test
    void a_claim_whose_reply_was_lost_is_claimed_again_with_a_higher_token() {
        store.fate("set c/x", Fate.LOSE_REPLY);
        Candidacy candidacy = a.elect("x").perform(untilLost());
        host.advance(Duration.ofSeconds(5));

        assertThat(candidacy.isLeading()).isTrue();
        assertThat(store.issued()).hasSize(2).isSorted();
        assertThat(candidacy.term().orElseThrow().token().value())
                .isEqualTo(store.issued().get(1));
    }
}
