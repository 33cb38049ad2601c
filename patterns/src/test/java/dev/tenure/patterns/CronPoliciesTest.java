// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.patterns.Cron.Missed;
import dev.tenure.patterns.Cron.Overlap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Missed due times, and those that overlap. */
class CronPoliciesTest extends VirtualCron {
    // ---- missed

    private void nobodyLeadsFrom(int minute, int minutes, UnaryOperator<CronJob> described) {
        start("a", described, run -> {});
        advance(ofMinutes(minute).plusSeconds(1));
        elections.crashNode("a");
        advance(ofMinutes(minutes).minusSeconds(1));
        start("b", described, run -> {});
        advance(ofSeconds(45));
    }

    @Test
    void the_latest_missed_due_time_is_run_unless_told_otherwise() {
        nobodyLeadsFrom(1, 10, job -> job);

        assertThat(runs).containsExactly("00:01", "00:11");
    }

    @Test
    void missed_due_times_are_left_out_if_told_so() {
        nobodyLeadsFrom(1, 10, job -> job.missed(Missed.SKIP).within(ofSeconds(1)));
        assertThat(runs).containsExactly("00:01");
        advance(ofMinutes(1));
        assertThat(runs).containsExactly("00:01", "00:12");
    }

    @Test
    void a_due_time_that_can_be_started_soon_is_not_missed_yet() {
        nobodyLeadsFrom(1, 10, job -> job.missed(Missed.SKIP));

        assertThat(runs).containsExactly("00:01", "00:11");
    }

    @Test
    void all_missed_due_times_are_run_in_order_if_told_so() {
        nobodyLeadsFrom(1, 5, job -> job.missed(Missed.RUN_ALL).overlap(Overlap.WAIT));

        assertThat(runs).containsExactly("00:01", "00:02", "00:03", "00:04", "00:05", "00:06");
    }

    @Test
    void of_all_missed_due_times_those_that_are_too_old_are_left_out() {
        nobodyLeadsFrom(
                1, 5, job -> job.missed(Missed.RUN_ALL).overlap(Overlap.WAIT).within(ofSeconds(150)));

        assertThat(runs).containsExactly("00:01", "00:04", "00:05", "00:06");
    }

    @Test
    void too_late_is_too_late() {
        nobodyLeadsFrom(1, 10, job -> job.within(ofSeconds(1)));

        assertThat(runs).containsExactly("00:01");
    }

    // ---- overlap

    @Test
    void a_due_time_during_a_run_is_left_out() {
        runsTake(ofSeconds(90), job -> job);
        advance(ofSeconds(250));

        assertThat(runs).containsExactly("00:01", "00:03");
    }

    @Test
    void a_due_time_during_a_run_waits_if_told_so() {
        runsTake(ofSeconds(90), job -> job.overlap(Overlap.WAIT));
        advance(ofSeconds(245));

        assertThat(runs).containsExactly("00:01", "00:02", "00:04");
        assertThat(journal()).containsExactly("00:01 DONE 1", "00:02 DONE 1", "00:04 RUNNING 1");
    }

    @Test
    void none_that_waits_is_lost_if_all_are_to_run() {
        runsTake(ofSeconds(90), job -> job.missed(Missed.RUN_ALL).overlap(Overlap.WAIT));
        advance(ofSeconds(400));

        assertThat(runs).containsExactly("00:01", "00:02", "00:03", "00:04");
    }

    @Test
    void a_run_whose_end_could_not_be_written_in_time_overlaps_nothing() {
        AtomicBoolean away = new AtomicBoolean();
        database = Databases.watched(database, call -> away.get() && !call.equals("close"));
        runsTake(ofSeconds(55), job -> job);
        advance(ofSeconds(110));
        away.set(true);
        advance(ofSeconds(20));
        away.set(false);
        advance(ofSeconds(5));

        assertThat(runs).containsExactly("00:01", "00:02");
        assertThat(journal()).containsExactly("00:01 DONE 1", "00:02 RUNNING 1");
    }

    @Test
    void running_all_and_leaving_some_out_cannot_both_be_had() {
        assertThatThrownBy(() -> start("a", job -> job.missed(Missed.RUN_ALL), run -> {}))
                .hasMessageContaining("use overlap(Overlap.WAIT)");
    }

    @Test
    void mistakes_are_refused_at_once() {
        assertThatThrownBy(() -> cron("a").every("a b", ofMinutes(1))).hasMessageContaining("'a b'");
        assertThatThrownBy(() -> cron("a").start()).hasMessageContaining("there is no job");
        assertThatThrownBy(() -> cron("a")
                        .every(JOB, ofMinutes(1))
                        .fire(run -> {})
                        .every(JOB, ofMinutes(1))
                        .fire(run -> {}))
                .hasMessageContaining("two jobs");
        assertThatThrownBy(() -> Journal.jdbc(database).named("")).hasMessageContaining("name");
    }
}
