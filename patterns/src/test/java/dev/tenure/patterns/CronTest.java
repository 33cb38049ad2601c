// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Leadership;
import dev.tenure.patterns.Cron.Body;
import dev.tenure.patterns.Cron.Missed;
import dev.tenure.patterns.Cron.Overlap;
import dev.tenure.patterns.Cron.State;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What becomes of runs, whoever dies; on every database. */
class CronTest extends VirtualCron {
    // ---- who runs what

    @Test
    void each_due_time_is_run_once_by_one_of_three() {
        startQuick("a");
        startQuick("b");
        startQuick("c");

        advance(ofSeconds(190));

        assertThat(runs).containsExactly("00:01", "00:02", "00:03");
        assertThat(journal()).containsExactly("00:01 DONE 1", "00:02 DONE 1", "00:03 DONE 1");
    }

    @Test
    void the_next_leader_goes_on_where_a_crashed_one_was() {
        startQuick("a");
        startQuick("b");
        advance(ofSeconds(130));

        elections.crashNode(leader());
        advance(ofSeconds(120));

        assertThat(runs).containsExactly("00:01", "00:02", "00:03", "00:04");
    }

    @Test
    void a_leader_that_was_paused_neither_doubles_nor_loses_a_run() {
        startQuick("a");
        startQuick("b");
        advance(ofSeconds(59));

        String paused = leader();
        elections.pauseNode(paused);
        advance(ofSeconds(90));
        elections.resumeNode(paused);
        advance(ofSeconds(60));

        assertThat(runs).containsExactly("00:01", "00:02", "00:03");
    }

    @Test
    void what_a_former_leader_writes_through_its_run_is_refused() throws Exception {
        Databases.execute(database, "CREATE TABLE book (line VARCHAR(100))");
        List<String> refused = new ArrayList<>();
        Body slow = run -> {
            try {
                rest(run, ofSeconds(60));
            } catch (InterruptedException ignored) {
                refused.add("interrupted");
            }
            try {
                run.write(connection -> Journal.update(connection, "INSERT INTO book VALUES ('late')"));
            } catch (Exception stale) {
                refused.add(stale.getClass().getSimpleName());
            }
        };
        start("a", job -> job.overlap(Overlap.SKIP), slow);
        start("b", job -> job.overlap(Overlap.SKIP), slow);
        advance(ofSeconds(61));

        String paused = leader();
        elections.pauseNode(paused);
        advance(ofSeconds(28));
        elections.resumeNode(paused);
        advance(ofSeconds(10));

        assertThat(refused).containsExactly("interrupted", "StaleTokenException");
        assertThat(Databases.ask(database, "SELECT line FROM book")).isEmpty();
        assertThat(journal()).containsExactly("00:01 ABANDONED 1");
    }

    @Test
    void a_clean_handover_loses_nothing() {
        Cron first = cron("a");
        first.every(JOB, ofMinutes(1))
                .fire(run -> runs.add(time(run.scheduledFor())))
                .start();
        advance(ofSeconds(70));
        startQuick("b");
        advance(ofSeconds(49));

        first.close();
        advance(ofSeconds(70));

        assertThat(runs).containsExactly("00:01", "00:02", "00:03");
    }

    // ---- failures

    @Test
    void a_run_that_fails_is_tried_again_as_often_as_told() {
        start("a", job -> job.retry(2, ofSeconds(10)), run -> {
            throw new IllegalStateException("no paper");
        });
        advance(ofSeconds(75));
        assertThat(runs).containsExactly("00:01", "00:01#2");
        assertThat(journal()).containsExactly("00:01 DUE 2");
        advance(ofSeconds(40));

        assertThat(runs).containsExactly("00:01", "00:01#2", "00:01#3");
        assertThat(journal()).containsExactly("00:01 FAILED 3");
    }

    @Test
    void a_retry_outlives_the_leader_that_wanted_it() {
        Body failing = run -> {
            if (run.attempt() == 1) {
                throw new IllegalStateException("no paper");
            }
        };
        start("a", job -> job.retry(1, ofSeconds(40)), failing);
        start("b", job -> job.retry(1, ofSeconds(40)), failing);
        advance(ofSeconds(61));
        elections.crashNode(leader());
        advance(ofSeconds(50));

        assertThat(runs).containsExactly("00:01", "00:01#2");
        assertThat(journal()).containsExactly("00:01 DONE 2");
    }

    @Test
    void a_run_that_takes_too_long_is_interrupted() throws SQLException {
        runsTake(ofSeconds(50), job -> job.timeout(ofSeconds(20)));
        advance(ofSeconds(79));
        assertThat(journal()).containsExactly("00:01 RUNNING 1");
        advance(ofSeconds(2));

        assertThat(journal()).containsExactly("00:01 TIMED_OUT 1");
        assertThat(jobs().history(JOB, 1).get(0).note()).contains("its time was up");
    }

    @Test
    void a_run_whose_leader_died_is_left_alone_unless_told_otherwise() {
        Body slow = run -> rest(run, ofSeconds(30));
        start("a", job -> job, slow);
        start("b", job -> job, slow);
        advance(ofSeconds(70));
        elections.crashNode(leader());
        advance(ofSeconds(45));

        assertThat(runs).containsExactly("00:01");
        assertThat(journal()).containsExactly("00:01 ABANDONED 1");
    }

    @Test
    void a_run_whose_leader_died_is_run_again_if_told_so() throws SQLException {
        Body slow = run -> rest(run, ofSeconds(30));
        start("a", job -> job.retry(1, Duration.ZERO), slow);
        start("b", job -> job.retry(1, Duration.ZERO), slow);
        advance(ofSeconds(70));
        String dead = leader();
        elections.crashNode(dead);
        advance(ofSeconds(49));

        assertThat(runs).containsExactly("00:01", "00:01#2");
        assertThat(journal()).containsExactly("00:01 DONE 2");
        assertThat(jobs().history(JOB, 1).get(0).note()).isEqualTo("attempt 1 was abandoned by " + dead);
    }

    @Test
    void a_run_that_stops_with_its_term_is_abandoned_and_run_again_elsewhere() {
        Body slow = run -> {
            run.leadership().rest(ofSeconds(40));
            run.leadership().ensureValid();
            if (!run.leadership().isActive()) {
                throw new IllegalStateException("told to stop");
            }
        };
        Cron first = cron("a");
        first.every(JOB, ofMinutes(1))
                .retry(1, Duration.ZERO)
                .fire(run -> {
                    runs.add(time(run.scheduledFor()));
                    slow.run(run);
                })
                .start();
        advance(ofSeconds(70));
        start("b", job -> job.retry(1, Duration.ZERO), slow);
        first.close();
        assertThat(journal()).containsExactly("00:01 DUE 1");
        advance(ofSeconds(45));

        assertThat(runs).containsExactly("00:01", "00:01#2");
        assertThat(journal()).containsExactly("00:01 DONE 2");
    }

    @Test
    void a_lost_commit_neither_loses_nor_doubles_a_run() {
        AtomicInteger commits = new AtomicInteger();
        database = Databases.losingCommits(database, commit -> commits.incrementAndGet() % 3 == 0);
        start("a", job -> job.missed(Missed.RUN_ALL).overlap(Overlap.WAIT), run -> {});
        advance(ofMinutes(30).plusSeconds(40));

        assertThat(commits).hasValueGreaterThan(30);
        assertThat(runs).hasSize(30).doesNotHaveDuplicates();
        assertThat(journal()).hasSize(30).allMatch(row -> row.endsWith(" DONE 1"));
    }

    @Test
    void whatever_a_body_throws_the_journal_can_be_written() throws SQLException {
        start("a", job -> job, run -> {
            throw new IllegalStateException("no\0paper");
        });
        advance(ofSeconds(130));

        assertThat(journal()).containsExactly("00:01 FAILED 1", "00:02 FAILED 1");
        assertThat(jobs().history(JOB, 1).get(0).note()).endsWith("no paper");
    }

    // ---- clocks

    @Test
    void a_clock_that_is_set_back_runs_nothing_twice() {
        startQuick("a");
        advance(ofSeconds(130));
        elections.node("a").host().clock().stepWall(ofMinutes(-10));
        advance(ofMinutes(10));
        assertThat(runs).containsExactly("00:01", "00:02");
        advance(ofMinutes(1));

        assertThat(runs).containsExactly("00:01", "00:02", "00:03");
    }

    @Test
    void a_clock_that_is_set_forward_makes_one_run_for_all_that_it_passed() {
        startQuick("a");
        advance(ofSeconds(130));
        elections.node("a").host().clock().stepWall(ofHours(1));
        advance(ofSeconds(30));

        assertThat(runs).containsExactly("00:01", "00:02", "01:02");
    }

    @Test
    void the_next_leader_with_an_older_clock_runs_nothing_again() {
        startQuick("a");
        advance(ofSeconds(130));
        startQuick("b");
        elections.node("b").host().clock().stepWall(ofSeconds(-90));
        elections.crashNode("a");
        advance(ofSeconds(120));

        assertThat(runs).containsExactly("00:01", "00:02");
    }

    @Test
    void a_spread_is_the_same_every_time() {
        List<String> began = new ArrayList<>();
        start(
                "a",
                job -> job.spread(ofSeconds(30)),
                run -> began.add(time(elections.time().now()).substring(5)));
        advance(ofMinutes(5));

        assertThat(runs).startsWith("00:01", "00:02", "00:03");
        assertThat(Set.copyOf(began.stream()
                        .map(text -> text.substring(0, Math.min(4, text.length())))
                        .toList()))
                .hasSize(1);
    }

    // ---- operators

    @Test
    void what_is_due_in_a_pause_is_not_run_later_either() throws SQLException {
        startQuick("a");
        advance(ofSeconds(70));
        assertThat(jobs().pause(JOB, CronJobs.UNTIL_RESUMED, "ann", "stocktaking"))
                .isTrue();
        advance(ofMinutes(5));
        assertThat(runs).containsExactly("00:01");
        CronJobs.Job paused = jobs().find(JOB).orElseThrow();
        assertThat(paused.pause()).hasValue(new CronJobs.Pause(CronJobs.UNTIL_RESUMED, "ann", "stocktaking"));
        assertThat(paused.next()).isEmpty();

        // The database has the real time, so that this test says when it is resumed.
        Databases.execute(
                database,
                "UPDATE tenure_cron_job SET paused_until = " + elections.time().wallMillis());
        advance(ofMinutes(1));

        assertThat(runs).containsExactly("00:01", "00:07");
    }

    @Test
    void a_pause_that_was_asked_for_a_moment_before_counts() throws SQLException {
        startQuick("a");
        advance(ofSeconds(59));
        jobs().pause(JOB, Instant.ofEpochMilli(elections.time().wallMillis()).plusSeconds(70), "ann", "");
        advance(ofSeconds(180));

        assertThat(runs).containsExactly("00:03");
    }

    @Test
    void a_pause_that_was_asked_for_between_a_look_and_a_start_counts() throws SQLException {
        Instant end = Instant.ofEpochMilli(elections.time().wallMillis()).plusSeconds(130);
        DataSource plain = database;
        AtomicBoolean armed = new AtomicBoolean();
        database = Databases.watched(plain, call -> {
            if (call.equals("setAutoCommit") && armed.getAndSet(false)) { // a transaction begins
                Databases.execute(plain, "UPDATE tenure_cron_job SET paused_until = " + end.toEpochMilli());
            }
            return false;
        });
        startQuick("a");
        advance(ofSeconds(59));
        armed.set(true);
        advance(ofSeconds(130));

        assertThat(armed).isFalse();
        assertThat(runs).containsExactly("00:03");
    }

    @Test
    void a_retry_waits_for_the_end_of_a_pause() throws SQLException {
        start("a", job -> job.retry(1, ofSeconds(10)), run -> {
            throw new IllegalStateException("no paper");
        });
        advance(ofSeconds(65));
        jobs().pause(JOB, Instant.ofEpochMilli(elections.time().wallMillis()).plusSeconds(30), "ann", "");
        advance(ofSeconds(29));
        assertThat(runs).containsExactly("00:01");
        advance(ofSeconds(2));

        assertThat(runs).containsExactly("00:01", "00:01#2");
    }

    @Test
    void resuming_a_job_that_is_not_paused_changes_nothing() throws SQLException {
        startQuick("a");
        advance(ofSeconds(59));
        // By the database's clock, which is the real one, this is long after all of virtual time.
        assertThat(jobs().resume(JOB)).isTrue();
        advance(ofSeconds(2));

        assertThat(runs).containsExactly("00:01");
    }

    @Test
    void run_now_is_noticed_within_a_look_and_happens_once() throws SQLException {
        start("a", job -> job, run -> {});
        advance(ofSeconds(10));
        assertThat(jobs().runNow(JOB, "ann")).isTrue();
        advance(ofSeconds(30));

        assertThat(runs).hasSize(1);
        CronJobs.Run run = jobs().history(JOB, 10).get(0);
        assertThat(run.state()).isEqualTo(State.DONE);
        assertThat(run.note()).isEqualTo("asked for by ann");
        advance(ofSeconds(40));
        assertThat(runs).hasSize(2).endsWith("00:01");
    }

    @Test
    void operators_see_each_job_and_what_nobody_runs_any_more() throws SQLException {
        cron("a")
                .at("old", Schedule.cron("@daily", ZoneOffset.UTC))
                .fire(run -> {})
                .start();
        advance(ofSeconds(5));
        elections.crashNode("a");
        startQuick("b");
        advance(ofSeconds(70));

        // By the database's clock, which is the real one, all of virtual time has passed.
        assertThat(jobs().list())
                .extracting(CronJobs.Job::name, CronJobs.Job::schedule, CronJobs.Job::condition)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(JOB, "@every PT1M", CronJobs.Condition.OVERDUE),
                        org.assertj.core.groups.Tuple.tuple("old", "@daily Z", CronJobs.Condition.ORPHAN));
        assertThat(jobs().find(JOB).orElseThrow().next()).hasValue(Instant.parse("2026-01-01T00:02:00Z"));
        assertThat(jobs().find(JOB).orElseThrow().newest().orElseThrow().at().node())
                .isEqualTo("b");
        assertThat(jobs().pause("nobody", CronJobs.UNTIL_RESUMED, "ann", "")).isFalse();
    }

    @Test
    void without_a_journal_there_is_nothing_to_see() throws SQLException {
        assertThat(jobs().list()).isEmpty();
        assertThat(jobs().history(JOB, 3)).isEmpty();
        assertThat(jobs().runNow(JOB, "ann")).isFalse();
    }

    @Test
    void history_is_kept_as_long_as_told() {
        cron("a").every(JOB, ofMinutes(10)).fire(run -> {}).start();
        advance(ofMinutes(61));
        assertThat(journal()).hasSize(6);
        elections.crashNode("a");
        cron("b")
                .keepingHistory(ofMinutes(25))
                .every(JOB, ofMinutes(10))
                .fire(run -> {})
                .start();
        advance(ofMinutes(1));

        assertThat(journal()).containsExactly("00:40 DONE 1", "00:50 DONE 1", "01:00 DONE 1");
    }

    @Test
    void a_job_that_ignores_interruption_holds_up_no_job_of_another_journal() throws SQLException {
        for (String node : List.of("a", "b")) {
            Journal own = Journal.jdbc(database).named("stuck");
            Cron.on(elections.node(node).tenure(), own)
                    .every("stuck", ofMinutes(1))
                    .fire(run -> {
                        while (true) {
                            try {
                                rest(run, ofHours(1));
                            } catch (InterruptedException ignored) {
                                // as some code does
                            }
                        }
                    })
                    .start();
            startQuick(node);
        }
        advance(ofSeconds(65));
        elections.pauseNode(elections.leaderOf("cron/stuck").orElseThrow());
        advance(ofMinutes(2));

        assertThat(runs).containsExactly("00:01", "00:02", "00:03");
        assertThat(jobs().list()).extracting(CronJobs.Job::name).containsExactly(JOB);
    }

    @Test
    void an_idle_leader_asks_the_journal_twice_a_minute_and_others_never() {
        AtomicInteger statements = new AtomicInteger();
        database = Databases.counting(database, statements);
        for (String node : List.of("a", "b", "c")) {
            cron(node)
                    .at(JOB, Schedule.cron("0 6 * * *", ZoneOffset.UTC))
                    .fire(run -> {})
                    .start();
        }
        advance(ofMinutes(1));
        statements.set(0);
        advance(ofMinutes(10));

        // A TTL of 10 s means 240 heartbeats of the leader.
        assertThat(statements.get()).isEqualTo(20);
    }

    @Test
    void exclusively_inside_a_run_of_the_same_election_is_refused_and_does_not_wait_for_ever() {
        List<String> told = new ArrayList<>();
        start("a", job -> job, run -> {
            try {
                elections.node("a").tenure().exclusively("cron/main", ofHours(1), Leadership::ensureValid);
            } catch (IllegalStateException refused) {
                told.add(refused.getMessage());
            }
        });
        advance(ofSeconds(70));

        assertThat(told).hasSize(1).first().asString().contains("cron/main");
        assertThat(journal().stream().map(row -> row.split(" ")[1]).collect(Collectors.toSet()))
                .containsExactly("DONE");
    }
}
