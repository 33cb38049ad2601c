// SPDX-License-Identifier: Apache-2.0
package dev.tenure.observability;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ActivePassive;
import dev.tenure.Candidacy;
import dev.tenure.ElectionName;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.observability.TenureHealth.Verdict;
import dev.tenure.testing.FakeElections;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class TenureHealthTest {
    private final FakeElections elections = FakeElections.create();
    private final TenureHealth a = TenureHealth.of(elections.node("a").tenure());

    @AfterEach
    void close() {
        elections.close();
    }

    private Candidacy stand(String node) {
        return elections.node(node).elect("sweeper").perform(TenureHealthTest::untilLost);
    }

    private static void untilLost(Leadership leadership) throws InterruptedException {
        while (leadership.isActive()) {
            leadership.rest(ofMinutes(1));
        }
    }

    private Map<?, ?> sweeper() {
        return details("sweeper", a.check());
    }

    private static Map<?, ?> details(String election, Verdict verdict) {
        return (Map<?, ?>) ((Map<?, ?>) verdict.details().get("elections")).get(election);
    }

    @Test
    void a_client_that_stands_nowhere_is_healthy() {
        elections.advance(ofMinutes(5));

        Verdict verdict = a.check();

        assertThat(verdict.healthy()).isTrue();
        assertThat(verdict.details())
                .containsEntry("store", "in memory")
                .containsEntry("grade", "A")
                .containsEntry("scope", "cluster")
                .containsEntry("elections", Map.of());
    }

    @Test
    void a_leader_is_healthy_and_leads() {
        stand("a");
        elections.advance(ofSeconds(30));

        Verdict verdict = a.check();

        assertThat(verdict.healthy()).isTrue();
        assertThat(verdict.reason()).isEmpty();
        assertThat(verdict.leads("sweeper")).isTrue();
        assertThat(sweeper().get("standing")).isEqualTo("leading");
        assertThat(sweeper().get("leader")).isEqualTo("a");
        assertThat(sweeper().get("token"))
                .isEqualTo(elections.highestToken("sweeper").toString());
        assertThat(Duration.parse((String) sweeper().get("since"))).isGreaterThan(ofSeconds(25));
        assertThat(sweeper().get("atRisk")).isEqualTo(false);
    }

    @Test
    void a_standby_is_healthy_and_knows_the_leader() {
        stand("b");
        elections.advance(ofSeconds(5));
        stand("a");
        elections.advance(ofSeconds(30));

        Verdict verdict = a.check();

        assertThat(verdict.healthy()).isTrue();
        assertThat(verdict.leads("sweeper")).isFalse();
        assertThat(sweeper()).isEqualTo(Map.of("standing", "standby", "leader", "b"));
    }

    @Test
    void a_leader_whose_renewals_are_not_answered_is_at_risk_but_healthy() {
        stand("a");
        elections.advance(ofSeconds(5));

        elections.cutOff("a");
        elections.advance(ofSeconds(4));

        assertThat(a.check().healthy()).isTrue();
        assertThat(a.check().leads("sweeper")).isTrue();
        assertThat(sweeper().get("atRisk")).isEqualTo(true);
        assertThat(Duration.parse((String) sweeper().get("remaining"))).isBetween(Duration.ofNanos(1), ofSeconds(4));
    }

    @Test
    void a_standby_whose_store_has_not_answered_for_a_ttl_is_not_healthy_until_it_does() {
        stand("b");
        elections.advance(ofSeconds(5));
        stand("a");
        elections.advance(ofSeconds(5));

        elections.cutOff("a");
        elections.advance(ofSeconds(15));
        Verdict silent = a.check();
        elections.heal("a");
        elections.advance(ofSeconds(30));

        assertThat(silent.healthy()).isFalse();
        assertThat(silent.reason()).contains("in memory has not answered for").contains("and the TTL is 10000 ms");
        assertThat(a.check().healthy()).isTrue();
    }

    @Test
    void a_store_that_never_answered_is_not_healthy_after_a_ttl() {
        elections.cutOff("a");
        stand("a");

        elections.advance(ofSeconds(5));
        boolean soon = a.check().healthy();
        elections.advance(ofSeconds(6));

        assertThat(soon).isTrue();
        assertThat(a.check().healthy()).isFalse();
    }

    private static final class Cold implements ActivePassive {
        @Override
        public void warmUp() {
            throw new IllegalStateException("no cache");
        }

        @Override
        public void activate(Leadership leadership) {}

        @Override
        public void deactivate(Loss loss) {}
    }

    @Test
    void of_ever_new_elections_that_retired_it_tells_a_hundred_with_the_last_one() {
        for (int n = 1; n <= 150; n++) {
            elections.node("a").elect("sweeper-" + n).run(new Cold());
            elections.advance(ofSeconds(1));
        }

        assertThat(a.check().retired()).hasSize(100).containsKey(ElectionName.of("sweeper-150"));
    }

    @Test
    void a_candidacy_that_could_not_warm_up_is_not_healthy_until_it_stands_again() {
        elections.node("a").elect("sweeper").run(new Cold());
        elections.advance(ofSeconds(5));
        Verdict retired = a.check();
        stand("a");
        elections.advance(ofSeconds(5));

        assertThat(retired.healthy()).isFalse();
        assertThat(retired.reason()).contains("sweeper");
        assertThat(details("sweeper", retired).get("standing")).isEqualTo("retired");
        assertThat(details("sweeper", retired).get("loss").toString()).contains("no cache");
        assertThat(a.check().healthy()).isTrue();
    }

    @Test
    void a_duty_that_completed_and_a_candidacy_that_was_closed_are_healthy() {
        elections.node("a").elect("once").perform(leadership -> {});
        Candidacy closed = stand("a");
        elections.advance(ofSeconds(5));
        closed.close();
        elections.advance(ofSeconds(5));

        assertThat(a.check().healthy()).isTrue();
        assertThat(a.check().details()).containsEntry("elections", Map.of());
    }

    @Test
    void a_draining_leader_is_healthy_and_does_not_lead() {
        Candidacy leader = elections.node("a").elect("sweeper").perform(leadership -> {
            untilLost(leadership);
            elections.node("a").host().signal().await(ofSeconds(1).toNanos());
        });
        elections.advance(ofSeconds(5));

        leader.resign("test");
        elections.advance(Duration.ofMillis(500));

        assertThat(a.check().healthy()).isTrue();
        assertThat(a.check().leads("sweeper")).isFalse();
        assertThat(sweeper().get("standing")).isEqualTo("draining");
        assertThat(sweeper().get("loss").toString()).contains("test");
    }

    @Test
    void a_closed_client_is_not_healthy() {
        stand("a");
        elections.advance(ofSeconds(5));

        elections.node("a").tenure().close();

        assertThat(a.check().healthy()).isFalse();
        assertThat(a.check().leads("sweeper")).isFalse();
    }
}
