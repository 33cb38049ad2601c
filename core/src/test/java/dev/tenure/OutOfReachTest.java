// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static dev.tenure.fakes.Scene.untilLost;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.Scene;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A store that lost more eras than its clients believe: only an operator helps, and until then nobody wears it out. */
class OutOfReachTest {
    private static final int ERA_SEEN = 20;
    private static final FencingToken SEEN = FencingToken.of(ERA_SEEN, 7);

    private final Scene scene = new Scene();
    private final ManualHost host = scene.host;
    private final Tenure tenure = scene.client("a");
    private final Candidacy candidacy = stand(tenure, SEEN);

    private static Candidacy stand(Tenure client, FencingToken seen) {
        return stand(client, "x", seen);
    }

    private static Candidacy stand(Tenure client, String election, FencingToken seen) {
        return client.elect(election)
                .coolDown(Duration.ofSeconds(1))
                .fencedBy(term -> {
                    if (!term.token().isNewerThan(seen)) {
                        throw new StaleTokenException("ledger", term, seen);
                    }
                })
                .perform(untilLost());
    }

    private int raiseEra() {
        var raised = tenure.raiseEra().toCompletableFuture();
        host.settle();
        return raised.join().era();
    }

    private long troubles() {
        return scene.events(TenureEvent.StoreError.class).stream()
                .filter(trouble -> trouble.doing().equals("raising the era"))
                .count();
    }

    @Test
    void a_candidate_that_only_an_operator_can_help_asks_at_most_twice_in_a_ttl() {
        host.advance(Scene.TTL);
        int before = scene.store.issued().size();

        host.advance(Scene.TTL.multipliedBy(20));

        assertThat(candidacy.isLeading()).isFalse();
        assertThat(scene.store.issued().size() - before).isBetween(15, 40);
    }

    @Test
    void several_of_them_do_not_wake_each_other() {
        Tenure other = scene.client("b");
        stand(other, SEEN);
        host.advance(Scene.TTL);
        int before = scene.store.issued().size();

        host.advance(Scene.TTL.multipliedBy(20));

        assertThat(scene.store.issued().size() - before).isBetween(30, 80);
    }

    @Test
    void the_trouble_is_told_once_and_again_when_the_store_has_come_nearer_but_not_near_enough() {
        host.advance(Scene.TTL.multipliedBy(20));
        assertThat(troubles()).isEqualTo(1);

        raiseEra();
        host.advance(Scene.TTL.multipliedBy(20));

        assertThat(troubles()).isEqualTo(2);
    }

    @Test
    void of_several_elections_out_of_reach_each_is_told_at_most_once() {
        stand(tenure, "y", FencingToken.of(ERA_SEEN + 1, 7));

        host.advance(Scene.TTL.multipliedBy(20));

        assertThat(troubles()).isBetween(1L, 2L);
    }

    @Test
    void it_leads_within_a_ttl_after_an_operator_has_raised_the_era() {
        host.advance(Scene.TTL.multipliedBy(3));

        while (raiseEra() <= ERA_SEEN) {
            assertThat(candidacy.isLeading()).isFalse();
        }
        host.advance(Scene.TTL.plusSeconds(1));

        assertThat(candidacy.isLeading()).isTrue();
        assertThat(candidacy.term().orElseThrow().token().isNewerThan(SEEN)).isTrue();
    }

    @Test
    void an_era_within_reach_is_raised_at_once() {
        Candidacy near = stand(tenure, "near", FencingToken.of(3, 7));

        host.advance(Duration.ofSeconds(4)); // its cool-down, and two claims

        assertThat(near.isLeading()).isTrue();
        assertThat(near.term().orElseThrow().token().era()).isEqualTo(4);
    }
}
