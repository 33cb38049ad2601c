// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static dev.tenure.fakes.Scene.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.TrackingStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A store that tells what has changed is asked one question for all elections, in case a notification was lost. */
class CatchUpTest {
    private static final int ELECTIONS = 1500;
    /** A TTL, and as much again by chance as a quarter of that. */
    private static final Duration ROUND = TTL.multipliedBy(5).dividedBy(4);

    private final ManualHost host = new ManualHost();
    private final TrackingStore store = new TrackingStore(host);
    private final List<Candidacy> leading = new ArrayList<>();
    private final List<Candidacy> waiting = new ArrayList<>();

    private static final class Idle implements ActivePassive {
        @Override
        public void activate(Leadership leadership) {}

        @Override
        public void deactivate(Loss loss) {}
    }

    @BeforeEach
    void oneLeadsInAllAndTheOtherWaits() {
        standInAll("a", leading);
        standInAll("b", waiting);
        host.advance(ROUND.multipliedBy(2)); // the first question only says from where on changes are told
        store.mute();
    }

    private void standInAll(String node, List<Candidacy> candidacies) {
        Tenure client = Tenure.using(store).host(host).node(node).ttl(TTL).open();
        for (int i = 0; i < ELECTIONS; i++) {
            candidacies.add(client.elect("x" + i).run(new Idle()));
        }
        host.settle();
    }

    private List<String> callsWithin(Duration time, String calls) {
        store.calls();
        host.advance(time);
        return store.calls().stream().filter(call -> call.startsWith(calls)).toList();
    }

    @Test
    void while_nothing_changes_no_claim_is_looked_at() {
        assertThat(callsWithin(TTL.multipliedBy(10), "read c/"))
                .as("but for the one that its leader checks now and then")
                .hasSizeLessThanOrEqualTo(11);
    }

    @Test
    void a_question_comes_about_once_in_a_ttl() {
        assertThat(callsWithin(TTL.multipliedBy(10), "changed").size()).isBetween(8, 10);
    }

    @Test
    void a_notification_that_was_lost_is_made_up_for() {
        leading.get(777).close();

        host.advance(ROUND.plus(Duration.ofMillis(100)));

        assertThat(waiting.get(777).isLeading()).isTrue();
        assertThat(waiting.stream().filter(Candidacy::isLeading)).hasSize(1);
    }

    @Test
    void who_cannot_be_told_asks_again_everywhere() {
        store.forgetsChanges();

        List<String> asked = callsWithin(ROUND.multipliedBy(2), "read c/");

        assertThat(asked.stream().distinct()).hasSize(ELECTIONS);
    }

    @Test
    void after_a_reconnect_nothing_that_was_known_counts() {
        store.reconnect();

        List<String> asked = callsWithin(ROUND, "read c/");

        assertThat(asked.stream().distinct()).hasSize(ELECTIONS);
    }

    @Test
    void who_waits_for_nothing_asks_for_nothing() {
        waiting.forEach(Candidacy::close);
        host.settle();

        assertThat(callsWithin(TTL.multipliedBy(3), "changed")).isEmpty();
    }
}
