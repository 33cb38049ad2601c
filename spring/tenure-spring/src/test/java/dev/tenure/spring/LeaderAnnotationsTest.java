// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.Campaign;
import dev.tenure.Fence;
import dev.tenure.FencingToken;
import dev.tenure.Leadership;
import dev.tenure.NotLeadingException;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.testing.FakeElections;
import dev.tenure.testing.InMemoryFence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.Lifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;

class LeaderAnnotationsTest {
    private final FakeElections elections = FakeElections.create();

    @AfterEach
    void close() {
        elections.close();
    }

    static class Sweeper {
        final List<FencingToken> swept = new ArrayList<>();

        @LeaderDuty(election = "billing/sweeper", fencedBy = "ledger", drain = "${drain:1s}")
        void sweep(Leadership leadership) throws InterruptedException {
            while (leadership.isActive()) {
                swept.add(Leaderships.current().token());
                leadership.rest(Duration.ofSeconds(1));
            }
        }
    }

    @Configuration
    static class Ledger {
        @Bean
        InMemoryFence ledger() {
            return new InMemoryFence("ledger");
        }
    }

    static class Books {
        int closed;

        @LeaderOnly("billing/sweeper")
        public void closeDay() {
            closed++;
        }

        @LeaderOnly(value = "billing/sweeper", otherwise = LeaderOnly.Otherwise.THROW)
        public void closeYear() {
            closed++;
        }

        @LeaderOnly("${billing.election}")
        String balance() {
            return "under " + Leaderships.current().token();
        }

        @LeaderOnly("billing/sweeper")
        public String audit(FakeElections elections, String node) {
            elections.cutOff(node);
            elections.advance(Duration.ofSeconds(30));
            return "too late";
        }

        @LeaderOnly("billing/sweeper")
        public void closeTwice() {
            closeDay(); // under the same authority already
        }
    }

    private static final Map<String, Object> SETTINGS = Map.of("billing.election", "billing/sweeper");

    @Test
    void a_duty_runs_on_the_leader_alone_and_its_fence_is_raised_before() {
        try (Application a = Application.started(elections, "a", Sweeper.class, Ledger.class);
                Application b = Application.started(elections, "b", Sweeper.class, Ledger.class)) {
            elections.advance(Duration.ofSeconds(5));

            Application leader =
                    elections.leaderOf("billing/sweeper").orElseThrow().equals("a") ? a : b;
            Application standby = leader == a ? b : a;
            assertThat(leader.bean(Sweeper.class).swept).hasSizeGreaterThan(3);
            assertThat(standby.bean(Sweeper.class).swept).isEmpty();
            assertThat(leader.bean(InMemoryFence.class).newest().orElseThrow().token())
                    .isEqualTo(leader.bean(Sweeper.class).swept.get(0));
        }
    }

    @Test
    void when_the_leader_crashes_the_duty_runs_on_the_other_with_a_higher_token() {
        try (Application a = Application.started(elections, "a", Sweeper.class, Ledger.class)) {
            Application.settle(elections);
            try (Application b = Application.started(elections, "b", Sweeper.class, Ledger.class)) {
                elections.crashNode("a");
                elections.advance(Duration.ofSeconds(30));

                assertThat(b.bean(Sweeper.class).swept).isNotEmpty();
                assertThat(b.bean(Sweeper.class).swept.get(0))
                        .isGreaterThan(a.bean(Sweeper.class).swept.get(0));
            }
            elections.restartNode("a");
        }
    }

    @Test
    void a_gated_method_is_skipped_or_refused_on_a_standby_and_runs_on_the_leader() {
        try (Application a = Application.started(elections, "a", SETTINGS, Books.class)) {
            Application.settle(elections);
            try (Application b = Application.started(elections, "b", SETTINGS, Books.class)) {
                Application.settle(elections);
                a.bean(Books.class).closeDay();
                a.bean(Books.class).closeTwice();
                b.bean(Books.class).closeDay();

                assertThat(a.bean(TenureTemplate.class).isLeading("billing/sweeper"))
                        .isTrue();
                assertThat(a.bean(Books.class).balance()).startsWith("under ");
                assertThatThrownBy(b.bean(Books.class)::balance)
                        .isInstanceOf(NotLeadingException.class)
                        .hasMessageContaining("does not lead election billing/sweeper");
                assertThatThrownBy(b.bean(Books.class)::closeYear).isInstanceOf(NotLeadingException.class);
                assertThat(closedBy(a)).isEqualTo(2);
                assertThat(closedBy(b)).isZero();
                assertThat(Leaderships.find()).isEmpty();
            }
        }
    }

    private static int closedBy(Application application) {
        Books target = (Books)
                org.springframework.aop.framework.AopProxyUtils.getSingletonTarget(application.bean(Books.class));
        return target == null ? -1 : target.closed;
    }

    @Test
    void a_value_that_was_computed_without_authority_is_not_returned() {
        try (Application a = Application.started(elections, "a", SETTINGS, Books.class)) {
            Application.settle(elections);

            assertThatThrownBy(() -> a.bean(Books.class).audit(elections, "a")).isInstanceOf(NotLeadingException.class);
            elections.heal("a");
        }
    }

    @Test
    void the_template_runs_a_body_while_leading_and_says_whether_it_did() {
        try (Application a = Application.started(elections, "a", SETTINGS, Books.class)) {
            TenureTemplate template = a.bean(TenureTemplate.class);
            List<FencingToken> ran = new ArrayList<>();

            boolean before = template.ifLeading("billing/sweeper", leadership -> ran.add(leadership.token()));
            Application.settle(elections);
            boolean after = template.ifLeading("billing/sweeper", leadership -> ran.add(leadership.token()));

            assertThat(before).isFalse();
            assertThat(after).isTrue();
            assertThat(ran).containsExactly(elections.highestToken("billing/sweeper"));
            String held = template.leading("billing/sweeper", leadership -> "held");
            assertThat(held).isEqualTo("held");
            assertThatThrownBy(() -> template.isLeading("unheard-of"))
                    .hasMessageContaining("does not stand in election unheard-of");
        }
    }

    static class Feed implements Lifecycle {
        final List<String> calls = new ArrayList<>();
        private boolean running;

        @Override
        public void start() {
            calls.add("start");
            running = true;
        }

        @Override
        public void stop() {
            calls.add("stop");
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }

    @Configuration
    static class Feeds {
        @Bean
        @ActiveWhileLeading("quotes/feed")
        Feed feed() {
            return new Feed();
        }
    }

    @Test
    void a_bean_is_started_with_the_term_and_stopped_before_the_next_leader_begins() {
        try (Application a = Application.started(elections, "a", Feeds.class)) {
            Application.settle(elections);
            Feed first = a.bean(Feed.class);
            assertThat(first.calls).containsExactly("start");
            Application b = Application.started(elections, "b", Feeds.class);
            Application.settle(elections);
            assertThat(b.bean(Feed.class).calls).isEmpty();

            a.close();
            elections.advance(Duration.ofSeconds(10));

            assertThat(first.calls).containsExactly("start", "stop");
            assertThat(b.bean(Feed.class).calls).containsExactly("start");
            b.close();
        }
    }

    @Test
    void every_event_of_the_client_is_an_event_of_the_application() {
        Application a = Application.started(elections, "a", Sweeper.class, Ledger.class);
        Application.settle(elections);
        a.close();

        assertThat(a.eventNames()).containsSubsequence("SessionOpened", "Elected", "DrainBegan", "Lost", "Retired");
        assertThat(a.events.get(1)).isInstanceOf(TenureEvent.Elected.class);
    }

    @Test
    void an_application_that_is_ready_only_when_its_context_has_closed_does_not_stand_any_more() {
        Application a = Application.started(elections, "a", Sweeper.class, Ledger.class);
        TenureLifecycle lifecycle = a.bean(TenureLifecycle.class);
        a.close();

        lifecycle.stand();
        elections.advance(Duration.ofSeconds(30));

        assertThat(lifecycle.isRunning()).isFalse();
        assertThat(elections.leaderOf("billing/sweeper")).isEmpty();
    }

    @Configuration
    static class FailsToStand {
        @Autowired
        void add(TenureLifecycle elections) {
            elections.also(() -> {
                throw new UnsupportedOperationException("no jobs today");
            });
        }
    }

    @Test
    void an_application_that_fails_while_it_begins_to_stand_stands_in_no_election() {
        assertThatThrownBy(() -> Application.started(elections, "a", Sweeper.class, Ledger.class, FailsToStand.class))
                .hasRootCauseMessage("no jobs today")
                .hasStackTraceContaining("this application cannot stand in its elections");
        elections.advance(Duration.ofSeconds(30));

        assertThat(elections.leaderOf("billing/sweeper")).isEmpty();
    }

    @Lazy
    static class LazySweeper extends Sweeper {}

    @Test
    void a_duty_in_a_lazy_bean_stands_too() {
        try (Application a = Application.started(elections, "a", LazySweeper.class, Ledger.class)) {
            Application.settle(elections);

            assertThat(elections.leaderOf("billing/sweeper")).contains("a");
            assertThat(a.bean(LazySweeper.class).swept).isNotEmpty();
        }
    }

    @Scope(value = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class ScopedBooks extends Books {}

    @Test
    void methods_of_prototypes_and_of_scoped_beans_are_gated() {
        try (Application a = Application.started(elections, "a", SETTINGS, ScopedBooks.class)) {
            assertThatThrownBy(() -> a.bean(ScopedBooks.class).balance()).isInstanceOf(NotLeadingException.class);
            Application.settle(elections);
            assertThat(a.bean(ScopedBooks.class).balance()).startsWith("under ");
        }
    }

    /** The way around a call on this. */
    static class Caller {
        @Autowired
        @Lazy
        private Caller self;

        int ran;

        @LeaderOnly("billing/sweeper")
        public void gated() {
            ran++;
        }

        public int call() {
            self.gated();
            return ran;
        }
    }

    @Test
    void a_bean_that_calls_itself_through_its_proxy_is_gated() {
        try (Application a = Application.started(elections, "a", Caller.class)) {
            assertThat(a.bean(Caller.class).call()).isZero();
            Application.settle(elections);
            assertThat(a.bean(Caller.class).call()).isEqualTo(1);
        }
    }

    static class Once {
        int ran;

        @LeaderDuty(election = "once")
        void run() {
            ran++;
        }
    }

    static class Again {
        @Bean
        Campaign again(Tenure tenure) {
            return tenure.elect("once").repeat();
        }
    }

    @Test
    void a_duty_that_returns_is_done_unless_it_is_to_run_again() {
        try (Application a = Application.started(elections, "a", Once.class)) {
            elections.advance(Duration.ofSeconds(5));
            assertThat(a.bean(Once.class).ran).isEqualTo(1);
        }
        try (Application b = Application.started(elections, "b", Once.class, Again.class)) {
            elections.advance(Duration.ofSeconds(5));
            assertThat(b.bean(Once.class).ran).isGreaterThan(1);
        }
    }

    @Configuration
    static class ByHand {
        @Bean
        Campaign byHand(Tenure tenure) {
            return tenure.elect("by-hand").metadata("zone", "eu").fencedBy((Fence) term -> {});
        }
    }

    @Test
    void a_campaign_that_is_a_bean_adds_an_election_and_says_how_to_stand_in_it() throws Exception {
        try (Application a = Application.started(elections, "a", ByHand.class)) {
            Application.settle(elections);

            assertThat(a.bean(TenureTemplate.class).isLeading("by-hand")).isTrue();
            assertThat(elections
                            .node("observer")
                            .observe("by-hand")
                            .await(Duration.ofSeconds(5))
                            .orElseThrow()
                            .metadata("zone"))
                    .isEqualTo("eu");
        }
    }
}
