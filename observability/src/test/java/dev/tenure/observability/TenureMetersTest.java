// SPDX-License-Identifier: Apache-2.0
package dev.tenure.observability;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import dev.tenure.Candidacy;
import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import dev.tenure.testing.FakeElections;
import dev.tenure.testing.InMemoryFence;
import io.micrometer.core.instrument.Meter;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class TenureMetersTest {
    private static final String[] SWEEPER = {"election", "sweeper"};

    private final FakeElections elections = FakeElections.create();
    private final Reading a = new Reading();
    private final Reading b = new Reading();

    @AfterEach
    void close() {
        elections.close();
    }

    private void bindBoth() {
        TenureMeters.of(elections.node("a").tenure()).bindTo(a.registry());
        TenureMeters.of(elections.node("b").tenure()).bindTo(b.registry());
    }

    private Candidacy stand(String node) {
        return elections.node(node).elect("sweeper").perform(TenureMetersTest::untilLost);
    }

    private static void untilLost(Leadership leadership) throws InterruptedException {
        while (leadership.isActive()) {
            leadership.rest(ofMinutes(1));
        }
    }

    private static String[] sweeperAnd(String key, String value) {
        return new String[] {"election", "sweeper", key, value};
    }

    @Test
    void a_leader_and_a_standby_are_shown() {
        bindBoth();
        stand("a");
        elections.advance(ofSeconds(1));
        stand("b");

        elections.advance(ofSeconds(60));

        assertThat(a.gauge("tenure.leading", SWEEPER)).isEqualTo(1);
        assertThat(a.gauge("tenure.standing", sweeperAnd("state", "leading"))).isEqualTo(1);
        assertThat(a.gauge("tenure.term.age", SWEEPER)).isCloseTo(61, offset(1.0));
        assertThat(a.gauge("tenure.authority.remaining", SWEEPER)).isBetween(5.0, 9.0);
        assertThat(a.gauge("tenure.ttl")).isEqualTo(10);
        assertThat(a.gauge("tenure.store.silence")).isLessThan(5);
        assertThat(a.counter("tenure.terms", SWEEPER)).isEqualTo(1);
        assertThat(a.times("tenure.handover", sweeperAnd("kind", "release"))).isEqualTo(1);
        assertThat(a.times("tenure.renewals", "outcome", "acknowledged")).isBetween(20L, 30L);
        assertThat(a.times("tenure.store.calls", "operation", "open", "outcome", "acknowledged"))
                .isEqualTo(1);
        assertThat(b.gauge("tenure.leading", SWEEPER)).isZero();
        assertThat(b.gauge("tenure.standing", sweeperAnd("state", "standby"))).isEqualTo(1);
        assertThat(b.gauge("tenure.authority.remaining", SWEEPER)).isNaN();
        assertThat(b.counter("tenure.terms", SWEEPER)).isZero();
        assertThat(b.times("tenure.store.calls", "operation", "claim", "outcome", "acknowledged"))
                .isPositive();
    }

    @Test
    void a_release_is_a_loss_here_and_a_short_handover_there() {
        bindBoth();
        Candidacy first = stand("a");
        elections.advance(ofSeconds(1));
        stand("b");
        elections.advance(ofSeconds(5));

        first.close();
        elections.advance(ofSeconds(5));

        assertThat(a.counter("tenure.losses", sweeperAnd("reason", "closed"))).isEqualTo(1);
        assertThat(a.times("tenure.drain", sweeperAnd("outcome", "intime"))).isEqualTo(1);
        assertThat(a.gauge("tenure.leading", SWEEPER)).isZero();
        assertThat(a.gauge("tenure.standing", sweeperAnd("state", "leading"))).isZero();
        assertThat(b.counter("tenure.terms", SWEEPER)).isEqualTo(1);
        assertThat(b.times("tenure.handover", sweeperAnd("kind", "release"))).isEqualTo(1);
        assertThat(b.times("tenure.handover", sweeperAnd("kind", "failover"))).isZero();
        assertThat(b.sum("tenure.handover", sweeperAnd("kind", "release"))).isLessThan(ofSeconds(1));
    }

    @Test
    void a_crash_is_a_failover() {
        bindBoth();
        stand("a");
        elections.advance(ofSeconds(1));
        stand("b");
        elections.advance(ofSeconds(5));

        elections.crashNode("a");
        elections.advance(ofSeconds(30));

        assertThat(b.gauge("tenure.leading", SWEEPER)).isEqualTo(1);
        assertThat(b.times("tenure.handover", sweeperAnd("kind", "failover"))).isEqualTo(1);
    }

    @Test
    void a_pause_a_lost_term_and_a_refused_write_are_counted() {
        bindBoth();
        InMemoryFence ledger = new InMemoryFence("ledger");
        elections.node("a").elect("sweeper").fencedBy(ledger).perform(leadership -> {
            untilLost(leadership);
            try {
                ledger.write(leadership, () -> {});
            } catch (StaleTokenException expected) {
                // a zombie's write
            }
        });
        elections.advance(ofSeconds(1));
        elections.node("b").elect("sweeper").fencedBy(ledger).perform(TenureMetersTest::untilLost);
        elections.advance(ofSeconds(5));

        elections.pauseNode("a");
        elections.advance(ofSeconds(40));
        elections.resumeNode("a");
        elections.advance(ofSeconds(5));

        assertThat(a.times("tenure.pauses")).isEqualTo(1);
        assertThat(a.sum("tenure.pauses")).isBetween(ofSeconds(35), ofSeconds(40));
        assertThat(a.counter("tenure.losses", sweeperAnd("reason", "expired"))
                        + a.counter("tenure.losses", sweeperAnd("reason", "session_lost")))
                .isEqualTo(1);
        assertThat(a.counter("tenure.fence.refusals", SWEEPER)).isEqualTo(1);
        assertThat(a.times("tenure.fence.raises", sweeperAnd("outcome", "raised")))
                .isEqualTo(1);
        assertThat(b.times("tenure.fence.raises", sweeperAnd("outcome", "raised")))
                .isEqualTo(1);
        assertThat(b.counter("tenure.fence.refusals", SWEEPER)).isZero();
        assertThat(b.times("tenure.pauses")).isZero();
    }

    @Test
    void a_store_that_is_silent_is_shown_by_renewals_and_by_its_silence() {
        bindBoth();
        stand("a");
        elections.advance(ofSeconds(5));

        elections.cutOff("a");
        elections.advance(ofSeconds(30));

        assertThat(a.times("tenure.renewals", "outcome", "unknown")).isPositive();
        assertThat(a.gauge("tenure.store.silence")).isGreaterThan(25);
        assertThat(a.gauge("tenure.leading", SWEEPER)).isZero();
        assertThat(a.counter("tenure.losses", sweeperAnd("reason", "expired"))).isEqualTo(1);
    }

    @Test
    void a_drain_that_takes_too_long_is_overdue() {
        bindBoth();
        Candidacy first = elections
                .node("a")
                .elect("sweeper")
                .drainWithin(ofMillis(500))
                .perform(leadership -> {
                    untilLost(leadership);
                    ignoringInterrupts(() -> elections
                            .node("a")
                            .host()
                            .signal()
                            .await(ofSeconds(3).toNanos()));
                });
        elections.advance(ofSeconds(5));

        first.resign("test");
        elections.advance(ofSeconds(2));
        double draining = a.gauge("tenure.standing", sweeperAnd("state", "draining"));
        elections.advance(ofSeconds(10));

        assertThat(draining).isEqualTo(1);
        assertThat(a.times("tenure.drain", sweeperAnd("outcome", "overdue"))).isEqualTo(1);
        assertThat(a.sum("tenure.drain", sweeperAnd("outcome", "overdue"))).isBetween(ofSeconds(3), ofSeconds(4));
    }

    private interface Waiting {
        void await() throws InterruptedException;
    }

    private static void ignoringInterrupts(Waiting waiting) {
        try {
            waiting.await();
        } catch (InterruptedException asked) {
            ignoringInterrupts(waiting);
        }
    }

    @Test
    void time_without_a_leader_only_grows() {
        bindBoth();
        Candidacy first = stand("a");
        elections.advance(ofSeconds(2));
        first.resign("test");
        elections.advance(ofSeconds(2));
        double once = a.total("tenure.vacant", SWEEPER);
        first.close();
        elections.advance(ofSeconds(2));
        a.total("tenure.vacant", SWEEPER);

        stand("a");
        elections.advance(ofSeconds(2));

        assertThat(once).isPositive();
        assertThat(a.total("tenure.vacant", SWEEPER)).isGreaterThanOrEqualTo(once);
    }

    @Test
    void elections_beyond_the_limit_share_one_tag() {
        TenureMeters.of(elections.node("a").tenure()).maxElections(2).bindTo(a.registry());
        for (int i = 0; i < 5; i++) {
            elections.node("a").elect("e" + i).perform(TenureMetersTest::untilLost);
        }

        elections.advance(ofSeconds(5));

        assertThat(a.elections()).isEqualTo(3);
        assertThat(a.gauge("tenure.leading", "election", "(other)")).isEqualTo(3);
        assertThat(a.gauge("tenure.standing", "election", "(other)", "state", "leading"))
                .isEqualTo(3);
        assertThat(a.counter("tenure.terms", "election", "(other)")).isEqualTo(3);
    }

    @Test
    void no_meter_has_a_token_a_node_or_a_session_as_a_tag() {
        bindBoth();
        stand("a");
        elections.advance(ofSeconds(5));

        List<String> keys = a.registry().getMeters().stream()
                .map(Meter::getId)
                .flatMap(id -> id.getTags().stream())
                .map(tag -> tag.getKey())
                .distinct()
                .toList();

        assertThat(keys)
                .containsExactlyInAnyOrder(
                        "election",
                        "state",
                        "reason",
                        "kind",
                        "outcome",
                        "operation",
                        "store",
                        "grade",
                        "scope",
                        "version");
    }

    @Test
    void a_candidacy_of_before_is_shown_and_so_is_the_client() {
        stand("a");
        elections.advance(ofSeconds(5));

        TenureMeters.of(elections.node("a").tenure()).client("main").bindTo(a.registry());

        assertThat(a.gauge("tenure.leading", "election", "sweeper", "client", "main"))
                .isEqualTo(1);
        assertThat(a.registry().getMeters())
                .allSatisfy(meter -> assertThat(meter.getId().getTag("client")).isEqualTo("main"));
    }

    @Test
    void a_second_client_is_shown_after_the_meters_of_the_first_were_closed() {
        stand("a");
        elections.advance(ofSeconds(5));
        TenureMeters first = TenureMeters.of(elections.node("a").tenure());
        first.bindTo(a.registry());
        elections.crashNode("a");
        first.close();
        assertThat(a.registry().getMeters()).isEmpty();

        elections.restartNode("a");
        stand("a");
        elections.advance(ofSeconds(30));
        TenureMeters.of(elections.node("a").tenure()).bindTo(a.registry());

        assertThat(a.gauge("tenure.leading", SWEEPER)).isEqualTo(1);
    }
}
