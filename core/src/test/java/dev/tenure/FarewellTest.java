// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.Scene;
import dev.tenure.fakes.ScriptedBackend;
import dev.tenure.fakes.ScriptedBackend.Asked;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A lost session may still stand in the store; whoever lost it says so, so that others need not wait for its end. */
class FarewellTest {
    private static final Duration SOON = Duration.ofSeconds(1);

    private final ManualHost host = new ManualHost();
    private final ScriptedBackend store = new ScriptedBackend();
    private final Tenure tenure =
            Tenure.using(store).host(host).ttl(Scene.TTL).node("n").open();
    private final List<TenureEvent.StoreError> troubles = new ArrayList<>();

    private void lead(Duty duty) {
        tenure.onEvent(event -> {
            if (event instanceof TenureEvent.StoreError trouble) {
                troubles.add(trouble);
            }
        });
        Candidacy candidacy = tenure.elect("x").perform(duty);
        host.settle();
        Asked claim = store.claims.get(0);
        claim.answer()
                .complete(new ClaimReply.Granted(
                        new FencingToken(1), claim.request().nonce(), false, Duration.ZERO));
        host.settle();
        assertThat(candidacy.isLeading()).isTrue();
    }

    private void loseSession() {
        store.lose("a server has forgotten it");
        host.settle();
    }

    @Test
    void a_lost_session_is_closed_once_its_duty_has_stopped() {
        lead(Scene.untilLost());

        loseSession();

        assertThat(store.closes).containsExactly("session-1");
    }

    @Test
    void a_word_that_did_not_get_through_is_said_again_until_it_is_answered() {
        lead(Scene.untilLost());
        store.deafToClosing = true;
        loseSession();
        host.advance(SOON.multipliedBy(2));
        assertThat(store.closes).hasSizeGreaterThan(1).containsOnly("session-1");

        store.deafToClosing = false;
        host.advance(SOON);
        int answered = store.closes.size();
        host.advance(Scene.TTL.multipliedBy(3));

        assertThat(store.closes).hasSize(answered);
    }

    @Test
    void nobody_talks_to_a_session_that_has_surely_lapsed_by_itself() {
        lead(Scene.untilLost());
        store.deafToClosing = true;
        loseSession();

        host.advance(Scene.TTL);
        int saidWithinItsTtl = store.closes.size();
        host.advance(Scene.TTL.multipliedBy(3));

        assertThat(store.closes).hasSize(saidWithinItsTtl).hasSizeBetween(5, 11);
    }

    @Test
    void people_are_told_of_it_once() {
        lead(Scene.untilLost());
        store.deafToClosing = true;

        loseSession();
        host.advance(Scene.TTL);

        assertThat(troubles).singleElement().satisfies(trouble -> {
            assertThat(trouble.doing()).isEqualTo("closing a lost session");
            assertThat(trouble.problem()).isEqualTo("no way to the store");
        });
    }

    /** To close a session is to free its claims, and with a duty that still runs there would be two. */
    @Test
    void a_session_under_which_a_duty_still_runs_is_left_when_that_has_ended() {
        Host.Signal mayEnd = host.signal();
        lead(deafUntil(mayEnd));

        loseSession();
        host.advance(Scene.TTL.multipliedBy(3));
        assertThat(store.closes).isEmpty();
        mayEnd.set();
        host.settle();

        assertThat(store.closes).containsExactly("session-1");
    }

    @Test
    void a_session_that_waits_for_its_duty_is_not_forgotten_over_the_next_one_that_is_lost() {
        Host.Signal mayEnd = host.signal();
        lead(deafUntil(mayEnd));
        loseSession();
        host.advance(Scene.TTL);
        loseSession();
        assertThat(store.closes).containsExactly("session-2");

        mayEnd.set();
        host.settle();

        assertThat(store.closes).containsExactly("session-2", "session-1");
    }

    /** A duty that hears of nothing but this. */
    private static Duty deafUntil(Host.Signal mayEnd) {
        return leadership -> {
            boolean ended = false;
            while (!ended) {
                try {
                    ended = mayEnd.await(Scene.TTL.toNanos());
                } catch (InterruptedException deaf) {
                    // it does not listen
                }
            }
        };
    }

    @Test
    void a_client_that_is_closed_says_nothing_more() {
        lead(Scene.untilLost());
        store.deafToClosing = true;
        loseSession();

        tenure.close();
        long before = store.closes.stream().filter("session-1"::equals).count();
        host.advance(Scene.TTL);

        assertThat(store.closes.stream().filter("session-1"::equals)).hasSize((int) before);
    }
}
