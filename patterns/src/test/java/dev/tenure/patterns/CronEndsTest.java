// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.patterns.Cron.State;
import dev.tenure.patterns.CronJobs.Run;
import dev.tenure.patterns.Journal.Attempt;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What becomes of runs when their term ends in an awkward moment. */
class CronEndsTest extends VirtualCron {
    private final AtomicBoolean armed = new AtomicBoolean();
    private final AtomicBoolean away = new AtomicBoolean();
    private final List<String> told = new ArrayList<>();

    /** The next commit after {@code armed} was set does this, and is lost if it says so. */
    private void atCommit(BooleanSupplier lost) {
        database = Databases.watched(database, call -> {
            boolean now = call.equals("commit") && armed.getAndSet(false);
            return now ? lost.getAsBoolean() : away.get() && !call.equals("close");
        });
    }

    private void closeSoon(Cron cron) {
        elections.node("a").host().runDuty("close", cron::close);
    }

    @Test
    void a_run_that_was_started_as_its_cron_was_closed_is_run() {
        List<Cron> first = new ArrayList<>();
        atCommit(() -> {
            closeSoon(first.get(0));
            return false;
        });
        first.add(cron("a").every(JOB, ofMinutes(1)).fire(run -> runs.add(time(run.scheduledFor()))));
        first.get(0).start();
        advance(ofSeconds(59));
        armed.set(true);
        advance(ofSeconds(5));

        assertThat(runs).containsExactly("00:01");
        assertThat(journal()).containsExactly("00:01 DONE 1");
    }

    @Test
    void a_run_that_begins_after_its_term_was_interrupted_is_interrupted() {
        List<Cron> first = new ArrayList<>();
        atCommit(() -> {
            closeSoon(first.get(0));
            away.set(true);
            return true;
        });
        first.add(cron("a")
                .every("slow", ofSeconds(45))
                .fire(run -> {
                    try {
                        rest(run, ofHours(1));
                    } catch (InterruptedException ended) {
                        away.set(false);
                        rest(run, ofSeconds(5));
                    }
                })
                .every(JOB, ofMinutes(1))
                .fire(run -> {
                    runs.add(time(run.scheduledFor()));
                    rest(run, ofHours(1));
                }));
        first.get(0).start();
        advance(ofSeconds(59));
        armed.set(true);
        advance(ofMinutes(2));

        assertThat(runs).containsExactly("00:01");
        assertThat(journal()).containsExactly("00:00:45 DONE 1", "00:01 ABANDONED 1");
    }

    /** Its connection was lost, the end was written again, and then the server executes the first one as well. */
    @Test
    void an_end_that_is_executed_late_ends_neither_the_next_attempt_nor_one_of_another_term() throws Exception {
        List<CronRun> begun = new ArrayList<>();
        List<Run> rows = new ArrayList<>();
        start("a", job -> job.retry(3, ofSeconds(1)), run -> {
            begun.add(run);
            rows.add(jobs().history(JOB, 1).get(0));
            if (run.attempt() == 1) {
                throw new IllegalStateException("no paper");
            }
            rest(run, ofSeconds(30));
        });
        advance(ofSeconds(65));
        assertThat(journal()).containsExactly("00:01 RUNNING 2");

        CronRun second = begun.get(1);
        CronTable table = new CronTable(Journal.jdbc(database), second.fence(), second.leadership(), 0);
        try (Connection late = database.getConnection()) {
            table.end(rows.get(0), State.DUE, 0, "late").run(late);
            table.end(ofAnotherTerm(rows.get(1)), State.DUE, 0, "late").run(late);
        }

        assertThat(journal()).containsExactly("00:01 RUNNING 2");
        advance(ofSeconds(40));
        assertThat(journal()).containsExactly("00:01 DONE 2");
        assertThat(runs).containsExactly("00:01", "00:01#2");
    }

    private static Run ofAnotherTerm(Run run) {
        Attempt at = run.at();
        Attempt other = new Attempt(at.node(), at.token(), "0".repeat(32), at.began(), at.ended());
        return new Run(run.job(), run.due(), run.state(), run.attempt(), other, run.note());
    }

    @Test
    void a_leader_that_is_cut_off_while_it_makes_the_tables_leaves_none_without_its_index() {
        DataSource plain = database;
        String made = "SELECT COUNT(*) FROM information_schema.tables WHERE table_name = 'TENURE_CRON'";
        armed.set(true);
        database = Databases.watched(
                plain,
                call -> call.equals("prepareStatement")
                        && Databases.ask(plain, made).contains("1")
                        && armed.getAndSet(false));
        startQuick("a");
        advance(ofSeconds(70));

        assertThat(armed).isFalse();
        assertThat(runs).containsExactly("00:01");
        assertThat(Databases.ask(
                        plain,
                        "SELECT DISTINCT column_name FROM information_schema.index_columns"
                                + " WHERE table_name = 'TENURE_CRON' AND column_name = 'STATE'"))
                .containsExactly("STATE");
    }

    @Test
    void a_term_that_breaks_ends_after_its_runs() {
        database = Databases.watched(database, call -> {
            if (armed.getAndSet(false)) {
                throw new NoClassDefFoundError("a broken driver");
            }
            return false;
        });
        start("a", job -> job, run -> {
            try {
                rest(run, ofSeconds(50));
            } catch (InterruptedException ended) {
                rest(run, ofSeconds(5));
                told.add(
                        "interrupted, and valid to its end: " + run.leadership().isValid());
            }
        });
        advance(ofSeconds(65));
        armed.set(true);
        advance(ofSeconds(40));

        assertThat(told).containsExactly("interrupted, and valid to its end: true");
    }
}
