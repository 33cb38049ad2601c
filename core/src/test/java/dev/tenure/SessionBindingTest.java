// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.Scene;
import dev.tenure.fakes.ScriptedBackend;
import dev.tenure.fakes.ScriptedBackend.Asked;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.RenewReply;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the engine makes of a store that has sessions and answers as it likes. */
class SessionBindingTest {
    private static final long TOKEN = 720;

    private final ManualHost host = new ManualHost();
    private final ScriptedBackend store = new ScriptedBackend();
    private final Tenure tenure =
            Tenure.using(store).host(host).ttl(Scene.TTL).node("n").open();
    private final Candidacy candidacy = tenure.elect("x").perform(Scene.untilLost());

    private Asked nextClaim() {
        int before = store.claims.size();
        host.settle();
        for (int i = 0; i < 200 && store.claims.size() == before; i++) {
            host.advance(Duration.ofMillis(100));
        }
        return store.claims.get(before);
    }

    private void grant(Asked claim, long token) {
        claim.answer()
                .complete(new ClaimReply.Granted(
                        new FencingToken(token), claim.request().nonce(), false, Duration.ZERO));
        host.settle();
    }

    private void wait(Asked claim, long tokenOfHolder) {
        claim.answer().complete(new ClaimReply.Waiting(Optional.of(leader("other", tokenOfHolder)), true));
        host.settle();
    }

    private static Leader leader(String node, long token) {
        return new Leader(
                ElectionName.of("x"), node, new FencingToken(token), Instant.ofEpochMilli(1), LeaderMetadata.EMPTY);
    }

    @Test
    void a_token_that_a_late_answer_gave_to_an_earlier_claim_is_not_led_when_the_store_issues_it_again() {
        Asked late = nextClaim();
        Asked second = nextClaim(); // the answer did not come
        assertThat(second.request().nonce()).isNotEqualTo(late.request().nonce());
        grant(late, TOKEN);

        grant(second, TOKEN);

        assertThat(candidacy.isLeading()).isFalse();
    }

    @Test
    void the_token_of_the_holder_one_waited_for_is_not_led_when_the_store_issues_it_again() {
        Asked waiting = nextClaim();
        wait(waiting, TOKEN);

        store.push(waiting.request(), TOKEN);
        host.settle();

        assertThat(candidacy.isLeading()).isFalse();
    }

    @Test
    void the_token_after_it_is_led() {
        Asked waiting = nextClaim();
        wait(waiting, TOKEN);

        store.push(waiting.request(), TOKEN + 1);
        host.settle();

        assertThat(candidacy.isLeading()).isTrue();
    }

    @Test
    void an_own_place_at_the_head_of_the_queue_that_was_seen_before_its_grant_arrived_is_led() {
        Asked waiting = nextClaim();
        wait(waiting, TOKEN);
        store.show(ElectionName.of("x"), TOKEN + 1); // a watch in this process takes it for the leader, and it is

        Asked again = nextClaim();
        assertThat(again.request().nonce()).isEqualTo(waiting.request().nonce());
        grant(again, TOKEN + 1);

        assertThat(candidacy.isLeading()).isTrue();
    }

    private void lookAt(Leader shown) {
        store.leader = Optional.of(shown);
        assertThat(tenure.leaderOf("x").toCompletableFuture()).isNotDone();
        host.settle();
    }

    @Test
    void a_token_of_another_leader_that_was_seen_during_a_claim_is_not_led_when_the_store_issues_it_again() {
        Asked claim = nextClaim();
        lookAt(leader("other", TOKEN));

        grant(claim, TOKEN);

        assertThat(candidacy.isLeading()).isFalse();
    }

    @Test
    void an_own_claim_that_was_seen_by_its_name_before_its_grant_arrived_is_led() {
        Asked claim = nextClaim();
        lookAt(leader("n", TOKEN));

        grant(claim, TOKEN);

        assertThat(candidacy.isLeading()).isTrue();
    }

    @Test
    void an_own_place_in_the_queue_is_not_led_when_something_newer_was_seen() {
        Asked waiting = nextClaim();
        wait(waiting, TOKEN);
        store.show(ElectionName.of("x"), TOKEN + 2);

        grant(nextClaim(), TOKEN + 1);

        assertThat(candidacy.isLeading()).isFalse();
    }

    private List<Leadership> leadTwo() {
        List<Leadership> leads = new ArrayList<>();
        candidacy.close();
        for (String election : List.of("a", "b")) {
            tenure.elect(election).perform(leadership -> {
                leads.add(leadership);
                Scene.untilLost().perform(leadership);
            });
            grant(nextClaim(), TOKEN);
        }
        return leads;
    }

    @Test
    void a_claim_that_a_renewal_reports_as_lost_ends_and_no_other() {
        List<Leadership> leads = leadTwo();
        Leadership lost = leads.get(0);
        store.lostClaims.add(
                new RenewReply.LostClaim(lost.term().election(), lost.term().nonce()));

        host.advance(Scene.TTL.dividedBy(2));

        assertThat(lost.isValid()).isFalse();
        assertThat(leads.get(1).isActive()).isTrue();
    }

    @Test
    void an_earlier_claim_that_a_renewal_reports_as_lost_costs_the_term_nothing() {
        Leadership held = leadTwo().get(0);
        store.lostClaims.add(new RenewReply.LostClaim(held.term().election(), new Nonce(1, 2)));

        host.advance(Scene.TTL.dividedBy(2));

        assertThat(held.isActive()).isTrue();
    }

    @Test
    void a_lost_claim_has_no_authority_any_more_when_the_new_deadline_is_published() {
        Leadership lost = leadTwo().get(0);
        store.lostClaims.add(
                new RenewReply.LostClaim(lost.term().election(), lost.term().nonce()));
        List<Boolean> valid = new ArrayList<>();
        store.atTraits = () -> valid.add(lost.isValid());

        host.advance(Scene.TTL.dividedBy(2));

        assertThat(valid).isNotEmpty().containsOnly(false);
    }

    private List<TenureEvent.SessionLost> lostSessions() {
        List<TenureEvent.SessionLost> lost = new ArrayList<>();
        tenure.onEvent(event -> {
            if (event instanceof TenureEvent.SessionLost session) {
                lost.add(session);
            }
        });
        return lost;
    }

    @Test
    void a_bug_in_what_follows_a_renewal_ends_the_session_and_the_next_one_leads() {
        List<TenureEvent.SessionLost> lost = lostSessions();
        grant(nextClaim(), TOKEN);
        store.atTraits = () -> {
            store.atTraits = () -> {};
            throw new IllegalStateException("a bug");
        };

        host.advance(Scene.TTL.dividedBy(2));

        assertThat(lost)
                .singleElement()
                .satisfies(session ->
                        assertThat(session.why()).contains("internal error").contains("a bug"));
        grant(nextClaim(), TOKEN + 1);
        assertThat(candidacy.isLeading()).isTrue();
    }

    @Test
    void a_session_is_closed_if_a_bug_follows_its_opening_and_the_next_one_leads() {
        grant(nextClaim(), TOKEN);
        store.atTraits = () -> {
            if (store.listeners.size() == 2) {
                store.atTraits = () -> {};
                throw new IllegalStateException("a bug");
            }
        };

        store.listeners.get(0).lost("ended by hand");
        Asked claim = nextClaim();

        assertThat(store.listeners).hasSize(3);
        assertThat(store.closes).contains("session-2");
        grant(claim, TOKEN + 1);
        assertThat(candidacy.isLeading()).isTrue();
    }

    @Test
    void a_question_at_which_the_store_throws_fails_and_costs_nothing_else() {
        List<TenureEvent.SessionLost> lost = lostSessions();
        grant(nextClaim(), TOKEN);
        store.onRead = election -> {
            throw new IllegalStateException("a bug of the store");
        };

        var answer = tenure.leaderOf("x").toCompletableFuture();
        host.settle();

        assertThat(answer).isCompletedExceptionally();
        assertThat(lost).isEmpty();
        assertThat(candidacy.isLeading()).isTrue();
    }

    @Test
    void a_holder_that_does_not_go_by_itself_is_told_to_people() {
        List<TenureEvent.StoreError> troubles = new ArrayList<>();
        tenure.onEvent(event -> {
            if (event instanceof TenureEvent.StoreError trouble) {
                troubles.add(trouble);
            }
        });
        wait(nextClaim(), TOKEN);

        store.stick(ElectionName.of("x"), "its lease has ended; revoke it");
        host.settle();

        assertThat(troubles).singleElement().satisfies(trouble -> {
            assertThat(trouble.doing()).isEqualTo("waiting for x");
            assertThat(trouble.problem()).isEqualTo("its lease has ended; revoke it");
        });
    }

    @Test
    void a_store_that_notifies_is_asked_about_a_claim_once_a_ttl() {
        grant(nextClaim(), TOKEN);

        host.advance(Scene.TTL.multipliedBy(10));

        assertThat(store.checks).hasSizeBetween(9, 11);
    }

    @Test
    void every_held_claim_is_asked_about_in_its_turn() {
        grant(nextClaim(), TOKEN);
        for (String other : List.of("y", "z")) {
            tenure.elect(other).perform(Scene.untilLost());
            grant(nextClaim(), TOKEN);
        }

        host.advance(Scene.TTL.multipliedBy(7));

        assertThat(store.checks.subList(0, 3))
                .extracting(term -> term.election().value())
                .containsExactlyInAnyOrder("x", "y", "z");
        assertThat(store.checks.subList(3, 6)).isEqualTo(store.checks.subList(0, 3));
    }

    @Test
    void all_held_claims_are_asked_about_at_once_when_the_way_to_the_store_was_made_anew() {
        grant(nextClaim(), TOKEN);
        for (String other : List.of("y", "z")) {
            tenure.elect(other).perform(Scene.untilLost());
            grant(nextClaim(), TOKEN);
        }
        store.checks.clear();

        store.reconnect();
        host.settle();

        assertThat(store.checks).extracting(term -> term.election().value()).containsExactlyInAnyOrder("x", "y", "z");
    }

    @Test
    void a_session_that_tells_of_every_loss_is_asked_about_nothing() {
        store.tellsOfLoss = true;
        grant(nextClaim(), TOKEN);

        host.advance(Scene.TTL.multipliedBy(10));

        assertThat(candidacy.isLeading()).isTrue();
        assertThat(store.checks).isEmpty();
    }
}
