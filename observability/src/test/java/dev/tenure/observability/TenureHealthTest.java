package dev.tenure.observability;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ActivePassive;
import dev.tenure.Candidacy;
import dev.tenure.Leadership;
import dev.tenure.observability.TenureHealth.ElectionHealth;
import dev.tenure.observability.TenureHealth.Verdict;
import dev.tenure.testing.FakeElections;
import java.time.Duration;
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

    private ElectionHealth sweeper() {
        return a.check().elections().get("sweeper");
    }

    @Test
    void a_client_that_stands_nowhere_is_healthy() {
        elections.advance(ofMinutes(5));

        Verdict verdict = a.check();

        assertThat(verdict.healthy()).isTrue();
        assertThat(verdict.store()).isEqualTo("in memory");
        assertThat(verdict.grade()).matches("[A-D] within one \\w+");
        assertThat(verdict.elections()).isEmpty();
    }

    @Test
    void a_leader_is_healthy_and_leads() {
        stand("a");
        elections.advance(ofSeconds(30));

        Verdict verdict = a.check();

        assertThat(verdict.healthy()).isTrue();
        assertThat(verdict.reason()).isEmpty();
        assertThat(verdict.leads("sweeper")).isTrue();
        assertThat(sweeper().standing()).isEqualTo("leading");
        assertThat(sweeper().leader()).contains("a");
        assertThat(sweeper().token()).contains(elections.highestToken("sweeper").toString());
        assertThat(sweeper().leadsFor()).isGreaterThan(ofSeconds(25));
        assertThat(sweeper().detail()).isEmpty();
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
        assertThat(sweeper().standing()).isEqualTo("standby");
        assertThat(sweeper().leader()).contains("b");
        assertThat(sweeper().token()).isEmpty();
    }

    @Test
    void a_leader_whose_renewals_are_not_answered_is_at_risk_but_healthy() {
        stand("a");
        elections.advance(ofSeconds(5));

        elections.cutOff("a");
        elections.advance(ofSeconds(4));

        assertThat(a.check().healthy()).isTrue();
        assertThat(a.check().leads("sweeper")).isTrue();
        assertThat(sweeper().detail()).isEqualTo("at risk: renewals are not answered");
        assertThat(sweeper().remaining()).isBetween(Duration.ofNanos(1), ofSeconds(4));
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
        assertThat(silent.reason()).contains("in memory has not answered for").contains("the TTL is 10000 ms");
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

    @Test
    void a_candidacy_that_could_not_warm_up_is_not_healthy_until_it_stands_again() {
        elections.node("a").elect("sweeper").run(new ActivePassive() {
            @Override
            public void warmUp() {
                throw new IllegalStateException("no cache");
            }

            @Override
            public void activate(Leadership leadership) {}

            @Override
            public void deactivate(dev.tenure.Loss loss) {}
        });
        elections.advance(ofSeconds(5));
        Verdict retired = a.check();
        stand("a");
        elections.advance(ofSeconds(5));

        assertThat(retired.healthy()).isFalse();
        assertThat(retired.reason()).contains("sweeper");
        assertThat(retired.elections().get("sweeper").standing()).isEqualTo("retired");
        assertThat(retired.elections().get("sweeper").detail()).contains("no cache");
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
        assertThat(a.check().elections()).isEmpty();
    }
}
