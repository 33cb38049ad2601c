// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime.term;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Loss;
import dev.tenure.Nonce;
import dev.tenure.NotLeadingException;
import dev.tenure.Term;
import dev.tenure.fakes.ManualHost;
import dev.tenure.internal.engine.Authority;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeadershipHandleTest {
    private static final Duration VALID = Duration.ofSeconds(8);
    private static final Loss RESIGNED = new Loss.Resigned("deploy");

    private final ManualHost host = new ManualHost();
    private final SharedAuthority lease = new SharedAuthority(host, authority(VALID));
    private final Term term = new Term(ElectionName.of("a/b"), new FencingToken(42), new Nonce(1, 2), "node");
    private final RecordingOwner owner = new RecordingOwner(host::runFinalCallback);
    private final LeadershipHandle leadership = new LeadershipHandle(term, lease, host, owner);

    private Authority authority(Duration valid) {
        return new Authority(host.nanos() + valid.toNanos(), host.nanos(), host.wallMillis(), 1000, false);
    }

    @Test
    void a_term_begins_active_and_valid() {
        assertThat(leadership.isActive()).isTrue();
        assertThat(leadership.isValid()).isTrue();
        assertThat(leadership.remaining()).isEqualTo(VALID);
        assertThat(leadership.token()).isEqualTo(new FencingToken(42));
        assertThat(leadership.term()).isEqualTo(term);
        assertThatCode(leadership::ensureValid).doesNotThrowAnyException();
    }

    @Test
    void a_null_is_refused_on_the_callers_thread_and_ends_nothing() {
        assertThatThrownBy(() -> leadership.fenced(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageStartingWith("seen is null: ");
        assertThatThrownBy(() -> leadership.onLoss(null)).hasMessageStartingWith("listener is null: ");
        assertThatThrownBy(() -> leadership.onRenewal(null)).hasMessageStartingWith("listener is null: ");

        assertThat(owner.fenced()).isEmpty();
        assertThat(leadership.isValid()).isTrue();
    }

    @Test
    void the_deadline_ends_validity_without_any_engine() {
        host.pause(VALID.minusNanos(1));
        assertThat(leadership.isValid()).isTrue();
        assertThat(leadership.remaining()).isEqualTo(Duration.ofNanos(1));

        host.pause(Duration.ofNanos(1));

        assertThat(leadership.isValid()).isFalse();
        assertThat(leadership.isActive()).isFalse();
        assertThat(leadership.remaining()).isZero();
        assertThatThrownBy(leadership::ensureValid)
                .isInstanceOf(NotLeadingException.class)
                .hasMessageContaining("42")
                .hasMessageContaining("a/b");
    }

    @Test
    void a_renewal_moves_the_deadline_of_every_term_of_its_session() {
        LeadershipHandle other = new LeadershipHandle(term, lease, host, owner);
        host.pause(Duration.ofSeconds(7));
        lease.publish(authority(VALID));
        host.pause(Duration.ofSeconds(7));

        assertThat(leadership.isValid()).isTrue();
        assertThat(other.isValid()).isTrue();
        assertThat(other.remaining()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void a_revoked_session_ends_validity_at_once() {
        lease.revoke();

        assertThat(leadership.isValid()).isFalse();
        assertThat(leadership.isActive()).isFalse();
        assertThat(leadership.remaining()).isZero();
    }

    @Test
    void a_suspended_host_ends_validity_until_the_next_renewal() {
        host.stepWall(Duration.ofSeconds(30));
        assertThat(leadership.isValid()).isFalse();
        assertThat(leadership.remaining()).isZero();

        lease.publish(authority(VALID));

        assertThat(leadership.isValid()).isTrue();
    }

    @Test
    void a_draining_term_is_valid_up_to_its_deadline_but_not_active() {
        leadership.end(RESIGNED, false);

        assertThat(leadership.isActive()).isFalse();
        assertThat(leadership.isValid()).isTrue();
        assertThat(leadership.remaining()).isEqualTo(VALID);
        host.pause(VALID);
        assertThat(leadership.isValid()).isFalse();
    }

    @Test
    void a_dead_term_is_invalid_at_once_and_no_renewal_brings_it_back() {
        leadership.end(new Loss.SessionLost("evicted"), true);
        assertThat(leadership.isValid()).isFalse();

        lease.publish(authority(VALID));
        leadership.end(RESIGNED, false);

        assertThat(leadership.isValid()).isFalse();
        assertThat(leadership.isActive()).isFalse();
        assertThat(leadership.remaining()).isZero();
    }

    @Test
    void a_fenced_term_is_invalid_before_the_engine_knows_and_the_engine_is_told() {
        leadership.fenced(new FencingToken(43));

        assertThat(leadership.isValid()).isFalse();
        assertThat(owner.fenced()).containsExactly(new FencingToken(43));
    }

    @Test
    void a_fenced_term_stays_dead_when_an_orderly_drain_follows() {
        leadership.fenced(new FencingToken(43));

        leadership.end(RESIGNED, false);

        assertThat(leadership.isValid()).isFalse();
    }

    @Test
    void a_drain_can_still_become_a_death() {
        leadership.end(RESIGNED, false);
        leadership.end(RESIGNED, true);

        assertThat(leadership.isValid()).isFalse();
    }

    @Test
    void loss_is_told_once_with_the_first_reason_and_off_the_loop() {
        List<Loss> told = new ArrayList<>();
        leadership.onLoss(told::add);
        leadership.end(RESIGNED, false);
        assertThat(told).isEmpty();

        host.settle();
        leadership.end(new Loss.Expired(), true);
        host.settle();

        assertThat(told).containsExactly(RESIGNED);
    }

    @Test
    void who_asks_after_the_fact_is_told_as_well() {
        leadership.end(RESIGNED, false);
        List<Loss> told = new ArrayList<>();

        leadership.onLoss(told::add);
        host.settle();

        assertThat(told).containsExactly(RESIGNED);
    }

    @Test
    void a_rest_lasts_as_long_as_it_was_asked_to() throws InterruptedException {
        long before = host.nanos();

        leadership.rest(Duration.ofSeconds(3));

        assertThat(host.nanos() - before).isEqualTo(Duration.ofSeconds(3).toNanos());
    }

    @Test
    void a_rest_returns_when_the_term_begins_to_end() throws InterruptedException {
        long before = host.nanos();
        host.wakeAt(before + Duration.ofSeconds(2).toNanos(), () -> leadership.end(RESIGNED, false));

        leadership.rest(Duration.ofSeconds(7));

        assertThat(host.nanos() - before).isEqualTo(Duration.ofSeconds(2).toNanos());
    }

    @Test
    void a_rest_returns_at_the_deadline_although_every_engine_thread_is_stuck() throws InterruptedException {
        long before = host.nanos();

        leadership.rest(Duration.ofHours(1));

        assertThat(host.nanos() - before).isEqualTo(VALID.toNanos());
    }

    @Test
    void a_rest_goes_on_over_renewals() throws InterruptedException {
        long before = host.nanos();
        for (int i = 1; i < 10; i++) {
            host.wakeAt(before + Duration.ofSeconds(4L * i).toNanos(), () -> lease.publish(authority(VALID)));
        }

        leadership.rest(Duration.ofSeconds(30));

        assertThat(host.nanos() - before).isEqualTo(Duration.ofSeconds(30).toNanos());
    }

    @Test
    void a_rest_of_nothing_or_after_the_end_returns_at_once() throws InterruptedException {
        long before = host.nanos();
        leadership.rest(Duration.ZERO);
        leadership.rest(Duration.ofSeconds(-1));
        leadership.end(RESIGNED, false);
        leadership.rest(Duration.ofHours(1));

        assertThat(host.nanos()).isEqualTo(before);
    }

    @Test
    void a_rest_as_long_as_there_is_time_is_a_wait_for_the_end() throws InterruptedException {
        host.wakeAt(host.nanos() + 5, () -> leadership.end(RESIGNED, false));

        leadership.rest(java.time.temporal.ChronoUnit.FOREVER.getDuration());

        assertThat(leadership.isActive()).isFalse();
    }

    @Test
    void renewals_are_told_in_order() {
        List<String> told = new ArrayList<>();
        leadership.onRenewal(() -> told.add("first"));
        leadership.onRenewal(() -> told.add("second"));

        leadership.renewed();
        host.settle();

        assertThat(told).containsExactly("first", "second");
    }

    @Test
    void the_idempotency_key_is_the_same_for_a_step_and_differs_between_steps_and_terms() {
        Term next = new Term(term.election(), new FencingToken(43), new Nonce(3, 4), "node");
        LeadershipHandle successor = new LeadershipHandle(next, lease, host, owner);

        assertThat(leadership.idempotencyKey(1)).isEqualTo("a%2fb:42:1").isEqualTo(leadership.idempotencyKey(1));
        assertThat(leadership.idempotencyKey(2)).isNotEqualTo(leadership.idempotencyKey(1));
        assertThat(successor.idempotencyKey(1)).isNotEqualTo(leadership.idempotencyKey(1));
    }

    @Test
    void the_key_across_terms_is_the_same_for_a_step_in_every_term_and_differs_between_steps_and_elections() {
        String key = leadership.idempotencyKeyAcrossTerms("invoice 4711");

        assertThat(key)
                .isEqualTo("a%2fb:invoice%204711")
                .isEqualTo(of("a/b", 43).idempotencyKeyAcrossTerms("invoice 4711"));
        assertThat(leadership.idempotencyKeyAcrossTerms("invoice 4712")).isNotEqualTo(key);
        assertThat(of("a", 42).idempotencyKeyAcrossTerms("invoice 4711")).isNotEqualTo(key);
    }

    @Test
    void no_two_steps_share_a_key_whatever_characters_they_have() {
        assertThat(leadership.idempotencyKeyAcrossTerms("42:1")).isNotEqualTo(leadership.idempotencyKey(1));
        assertThat(of("a", 42).idempotencyKeyAcrossTerms("b:c"))
                .isNotEqualTo(of("a:b", 42).idempotencyKeyAcrossTerms("c"));
        assertThat(leadership.idempotencyKeyAcrossTerms("A")).isNotEqualTo(leadership.idempotencyKeyAcrossTerms("a"));
        assertThat(leadership.idempotencyKeyAcrossTerms("%61")).isNotEqualTo(leadership.idempotencyKeyAcrossTerms("a"));
    }

    @Test
    void a_step_without_a_name_has_no_key() {
        assertThatThrownBy(() -> leadership.idempotencyKeyAcrossTerms(""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("step is empty: name what is to happen once, such as a message id");
        assertThatThrownBy(() -> leadership.idempotencyKeyAcrossTerms("\ud800"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("half of a surrogate pair");
    }

    private LeadershipHandle of(String election, long token) {
        Term other = new Term(ElectionName.of(election), new FencingToken(token), new Nonce(3, 4), "node");
        return new LeadershipHandle(other, lease, host, owner);
    }
}
