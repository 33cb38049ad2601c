// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.fakes.ManualHost;
import dev.tenure.fakes.MemoryStore;
import dev.tenure.fakes.Scene;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TenureBuilderTest {
    private final ManualHost host = new ManualHost();
    private final MemoryStore store = new MemoryStore(host);

    private TenureBuilder builder() {
        return Tenure.using(store).host(host);
    }

    @Test
    void opening_contacts_nobody() {
        Tenure tenure = builder().open();
        host.settle();

        assertThat(store.calls()).isEmpty();
        assertThat(tenure.node()).contains("-" + ProcessHandle.current().pid() + "-");
        assertThat(tenure.traits()).isEqualTo(store.traits());
    }

    @Test
    void a_store_can_be_opened_with_the_time_and_the_threads_of_the_client() {
        List<Host> given = new ArrayList<>();
        TenureBuilder builder = Tenure.using(running -> {
            given.add(running);
            return store;
        });

        builder.host(host).open();

        assertThat(given).containsExactly(host);
    }

    @ParameterizedTest
    @CsvSource({"99", "600001"})
    void a_ttl_outside_the_range_of_the_store_is_refused_with_the_range(long millis) {
        assertThatThrownBy(() -> builder().ttl(Duration.ofMillis(millis)).open())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a TTL of " + millis + " ms")
                .hasMessageContaining("memory:")
                .hasMessageContaining("100 to 600000 ms");
    }

    @ParameterizedTest
    @CsvSource({"100", "600000"})
    void both_ends_of_the_range_are_accepted(long millis) {
        assertThatCode(() -> builder().ttl(Duration.ofMillis(millis)).open()).doesNotThrowAnyException();
    }

    @Test
    void a_grade_below_the_required_one_is_refused_with_the_reason() {
        store.graded(Grade.C, "failover may lose a write", Scope.CLUSTER);

        assertThatThrownBy(() -> builder().requireGrade(Grade.B).open())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("grade B was required")
                .hasMessageContaining("grade C: failover may lose a write");
        assertThatCode(() -> builder().requireGrade(Grade.C).open()).doesNotThrowAnyException();
        assertThatCode(() -> builder().requireGrade(Grade.D).open()).doesNotThrowAnyException();
    }

    @Test
    void a_store_that_shows_a_lower_grade_when_it_is_asked_is_not_led_on() {
        List<TenureEvent.StoreError> troubles = new ArrayList<>();
        Tenure tenure = builder().requireGrade(Grade.A).ttl(Scene.TTL).open();
        tenure.onEvent(event -> {
            if (event instanceof TenureEvent.StoreError trouble) {
                troubles.add(trouble);
            }
        });
        store.graded(Grade.B, "its version has a known bug", Scope.MACHINE);

        Candidacy candidacy = tenure.elect("x").perform(Scene.untilLost());
        host.advance(Scene.TTL);

        assertThat(candidacy.isLeading()).isFalse();
        assertThat(store.keys("s/")).isEmpty();
        assertThat(store.keys("c/")).isEmpty();
        assertThat(troubles.get(0).problem()).contains("grade A was required", "its version has a known bug");
        assertThat(((BackendException) troubles.get(0).cause()).kind()).isEqualTo(BackendException.Kind.MISCONFIGURED);
    }

    @Test
    void a_scope_below_the_required_one_is_refused() {
        assertThatThrownBy(() -> builder().requireScope(Scope.CLUSTER).open())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("scope CLUSTER was required")
                .hasMessageContaining("MACHINE");
        assertThatCode(() -> builder().requireScope(Scope.MACHINE).open()).doesNotThrowAnyException();
        assertThatCode(() -> builder().requireScope(Scope.USER).open()).doesNotThrowAnyException();
    }

    @Test
    void a_refused_store_is_closed_again_but_not_a_host_that_was_lent() {
        assertThatThrownBy(() ->
                builder().requireGrade(Grade.A).requireScope(Scope.CLUSTER).open());

        assertThat(store.closes()).isEqualTo(1);
        assertThat(host.isShutDown()).isFalse();
    }

    @Test
    void an_unknown_scheme_is_refused_with_what_to_add() {
        assertThatThrownBy(() -> Tenure.connect("nowhere://x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'nowhere:'")
                .hasMessageContaining("class path");
    }

    @Test
    void grade_d_needs_a_fence_or_an_acknowledgement() {
        store.graded(Grade.D, "it forgets", Scope.CLUSTER);
        Tenure tenure = builder().open();

        assertThatThrownBy(() -> tenure.elect("x").perform(leadership -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("grade D (it forgets)")
                .hasMessageContaining("fencedBy")
                .hasMessageContaining("acknowledgeBestEffort");
        assertThatCode(() -> tenure.elect("x").fencedBy(term -> {}).perform(leadership -> {}))
                .doesNotThrowAnyException();
        Tenure warned = builder().acknowledgeBestEffort().open();
        assertThatCode(() -> warned.elect("x").perform(leadership -> {})).doesNotThrowAnyException();
    }

    @Test
    void where_only_a_fence_protects_no_acknowledgement_replaces_it() {
        store.onlyFenced("its terms are short");
        Tenure tenure = builder().acknowledgeBestEffort().open();

        assertThatThrownBy(() -> tenure.elect("x").perform(leadership -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("memory: starts only with a fence (its terms are short)")
                .hasMessageContaining("fencedBy")
                .hasMessageContaining("acknowledgeBestEffort() does not replace it");
        assertThatCode(() -> tenure.elect("x").fencedBy(term -> {}).perform(leadership -> {}))
                .doesNotThrowAnyException();
    }

    @Test
    void where_only_a_fence_protects_there_is_no_drain_budget() {
        store.onlyFenced("its terms are short");
        Campaign campaign = builder().open().elect("x").fencedBy(term -> {});

        assertThatThrownBy(() -> campaign.drainWithin(Duration.ofMillis(1)).perform(leadership -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a drain of 1ms cannot be had on memory: (its terms are short)")
                .hasMessageContaining("drainWithin");
        assertThatCode(() -> campaign.drainWithin(Duration.ZERO).perform(leadership -> {}))
                .doesNotThrowAnyException();
    }

    @Test
    void where_only_a_fence_protects_a_duty_leads_to_the_very_end_of_what_it_may_believe() {
        store.onlyFenced("its terms are short");
        Tenure tenure = builder().ttl(Scene.TTL).open();
        Candidacy candidacy = tenure.elect("x").fencedBy(term -> {}).perform(Scene.untilLost());
        host.settle();
        store.fateOfAll("", MemoryStore.Fate.DROP);

        host.advance(Scene.TTL.multipliedBy(86).dividedBy(100));
        assertThat(candidacy.isLeading()).isTrue();

        host.advance(Scene.TTL.multipliedBy(2).dividedBy(100));
        assertThat(candidacy.isLeading()).isFalse();
    }

    @Test
    void a_drain_that_does_not_fit_is_refused_before_anything_stands() {
        Tenure tenure = builder().ttl(Duration.ofSeconds(10)).open();

        assertThatThrownBy(() ->
                        tenure.elect("x").drainWithin(Duration.ofSeconds(20)).perform(leadership -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("20s")
                .hasMessageContaining("10s");
        assertThatCode(() -> tenure.elect("x").perform(leadership -> {})).doesNotThrowAnyException();
    }

    @Test
    void a_campaign_is_not_changed_by_its_variants() {
        Tenure tenure = builder().node("n").open();
        Campaign plain = tenure.elect("x");
        plain.as("other").metadata("k", "v").repeat().onOverdue(OverduePolicy.HALT);
        plain.perform(leadership -> leadership.rest(Duration.ofHours(1)));
        host.settle();

        Leader leader = leaderOf(tenure);

        assertThat(leader.node()).isEqualTo("n");
        assertThat(leader.metadata()).isEqualTo(LeaderMetadata.EMPTY);
    }

    @Test
    void watchers_see_the_name_and_the_card_of_a_campaign() {
        Tenure tenure = builder().node("n").open();
        tenure.elect("x")
                .as("pod-7")
                .metadata("address", "10.0.0.7:9090")
                .perform(leadership -> leadership.rest(Duration.ofHours(1)));
        host.settle();

        Leader leader = leaderOf(tenure);

        assertThat(leader.node()).isEqualTo("pod-7");
        assertThat(leader.metadata("address")).isEqualTo("10.0.0.7:9090");
        assertThat(leader.metadata("missing")).isEmpty();
    }

    private Leader leaderOf(Tenure tenure) {
        var leader = tenure.leaderOf("x").toCompletableFuture();
        host.settle();
        return leader.join().orElseThrow();
    }

    @Test
    void settings_that_cannot_be_are_refused_at_once() {
        Tenure tenure = builder().open();

        assertThatThrownBy(() -> builder().node("")).hasMessageContaining("node id");
        assertThatThrownBy(() -> tenure.elect("")).hasMessageContaining("needs a name");
        assertThatThrownBy(() -> tenure.elect("x").as("a\nb")).hasMessageContaining("node id");
        assertThatThrownBy(() -> tenure.elect("x").metadata("k", "v".repeat(9000)))
                .hasMessageContaining("8192");
    }
}
