// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static dev.tenure.fakes.Scene.untilLost;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.TenureEvent.StoreCalled;
import dev.tenure.TenureEvent.StoreCalled.Outcome;
import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore.Fate;
import dev.tenure.fakes.Scene;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What meters need, and only listeners that ask for it get. */
class DetailEventsTest {
    private final Scene scene = new Scene();
    private final ManualHost host = scene.host;
    private final Tenure tenure = scene.client("a");
    private final List<TenureEvent> every = new ArrayList<>();

    private <E extends TenureEvent> List<E> told(Class<E> kind) {
        return every.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private List<String> calls() {
        return told(StoreCalled.class).stream()
                .map(call -> call.operation() + " " + call.outcome())
                .distinct()
                .toList();
    }

    @Test
    void details_go_to_listeners_that_ask_for_them_and_the_rest_to_all() {
        List<TenureEvent> usual = new ArrayList<>();
        tenure.onEvent(usual::add);
        tenure.onEveryEvent(every::add);

        Candidacy candidacy = tenure.elect("x").perform(untilLost());
        host.advance(Duration.ofSeconds(10));
        candidacy.close();
        host.settle();

        assertThat(usual).noneMatch(TenureEvent.Detail.class::isInstance).isNotEmpty();
        assertThat(every).containsAll(usual);
        ElectionName x = ElectionName.of("x");
        assertThat(told(TenureEvent.CandidacyBegan.class)).containsExactly(new TenureEvent.CandidacyBegan(x));
        assertThat(told(TenureEvent.Handover.class))
                .singleElement()
                .satisfies(handover -> assertThat(handover.failover()).isFalse());
        assertThat(told(TenureEvent.Drained.class))
                .singleElement()
                .satisfies(drained -> assertThat(drained.overdue()).isFalse());
        assertThat(calls())
                .contains("open ACKNOWLEDGED", "claim ACKNOWLEDGED", "renew ACKNOWLEDGED", "release ACKNOWLEDGED");
        assertThat(told(TenureEvent.FencesRaised.class)).as("it has no fence").isEmpty();
        assertThat(told(TenureEvent.Paused.class)).isEmpty();
    }

    @Test
    void a_renewal_that_is_not_answered_in_time_is_unknown_after_its_timeout() {
        tenure.onEveryEvent(every::add);
        tenure.elect("x").perform(untilLost());
        host.advance(Duration.ofSeconds(1));

        scene.store.fateOfAll("set s/", Fate.DROP);
        host.advance(Duration.ofSeconds(5));

        assertThat(told(StoreCalled.class))
                .filteredOn(call -> call.outcome() == Outcome.UNKNOWN)
                .isNotEmpty()
                .allSatisfy(call -> {
                    assertThat(call.operation()).isEqualTo("renew");
                    assertThat(call.took()).isEqualTo(Duration.ofMillis(1500));
                });
    }

    @Test
    void fences_that_were_raised_or_refused_the_token_are_told() {
        tenure.onEveryEvent(every::add);
        List<Term> raised = new ArrayList<>();
        Fence fence = term -> {
            raised.add(term);
            if (raised.size() == 1) {
                throw new StaleTokenException("ledger", term, term.token());
            }
        };

        tenure.elect("x").coolDown(Duration.ofSeconds(1)).fencedBy(fence).perform(untilLost());
        host.advance(Duration.ofSeconds(10));

        assertThat(told(TenureEvent.FencesRaised.class))
                .extracting(TenureEvent.FencesRaised::raised)
                .containsExactly(false, true);
        assertThat(told(TenureEvent.FenceRefused.class)).hasSize(1);
    }

    @Test
    void stats_tell_the_leader_the_silence_of_the_store_and_the_authority_left() {
        assertThat(tenure.stats().session().silence()).isZero();
        tenure.elect("x").perform(untilLost());
        host.advance(Duration.ofSeconds(10));

        Stats leading = tenure.stats();
        scene.store.fateOfAll("set s/", Fate.DROP);
        host.advance(Duration.ofSeconds(20));
        Stats silent = tenure.stats();

        assertThat(leading.byElection().get(ElectionName.of("x")).leader()).contains("a");
        assertThat(leading.session().ttl()).isEqualTo(Duration.ofSeconds(10));
        assertThat(leading.session().silence()).isLessThan(Duration.ofSeconds(4));
        assertThat(leading.session().remaining()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(9));
        assertThat(silent.session().silence()).isGreaterThanOrEqualTo(Duration.ofSeconds(20));
        assertThat(silent.session().remaining()).isZero();
        assertThat(silent.byElection().get(ElectionName.of("x")).leader()).isEmpty();
    }
}
