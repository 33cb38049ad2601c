// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** Rows that somebody edits, retries that come too late, and a journal that is away. */
class CronTroubleTest extends VirtualCron {
    @Test
    void a_run_that_is_called_running_again_by_hand_is_not_started_again() {
        startQuick("a");
        advance(ofSeconds(65));
        Databases.execute(database, "UPDATE tenure_cron SET state = 'RUNNING', ended = NULL");
        advance(ofSeconds(30));

        assertThat(runs).containsExactly("00:01");
        assertThat(journal()).containsExactly("00:01 ABANDONED 1");
    }

    @Test
    void a_row_that_was_edited_while_its_body_ran_ends_and_is_not_started_again() {
        runsTake(ofSeconds(20), job -> job.retry(3, Duration.ZERO));
        advance(ofSeconds(65));
        Databases.execute(database, "UPDATE tenure_cron SET attempt = 7, note = 'looked at'");
        advance(ofSeconds(30));

        assertThat(runs).containsExactly("00:01");
        assertThat(journal()).containsExactly("00:01 DONE 7");
    }

    @Test
    void a_run_that_is_called_due_by_hand_is_not_started_beside_itself() {
        runsTake(ofSeconds(30), job -> job.retry(3, Duration.ZERO));
        advance(ofSeconds(65));
        Databases.execute(database, "UPDATE tenure_cron SET state = 'DUE'");
        advance(ofSeconds(20));
        assertThat(runs).containsExactly("00:01");
        advance(ofSeconds(30));

        assertThat(runs).containsExactly("00:01", "00:01#2");
    }

    @Test
    void a_retry_that_would_come_too_late_does_not_come() {
        start("a", job -> job.retry(5, ofSeconds(28)).within(ofSeconds(45)), run -> {
            throw new IllegalStateException("no paper");
        });
        advance(ofSeconds(118));

        assertThat(runs).containsExactly("00:01", "00:01#2");
        assertThat(journal()).containsExactly("00:01 FAILED 2");
    }

    @Test
    void an_outage_of_the_journal_is_told_when_it_begins_and_when_it_ends() {
        List<LogRecord> told = new CopyOnWriteArrayList<>();
        Handler listening = new Handler() {
            @Override
            public void publish(LogRecord record) {
                if (record.getMessage().contains("'outage'")) {
                    told.add(record);
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger log = Logger.getLogger("dev.tenure.patterns.cron");
        log.addHandler(listening);
        try {
            AtomicBoolean away = new AtomicBoolean();
            database = Databases.watched(database, call -> away.get() && !call.equals("close"));
            Cron.on(elections.node("a").tenure(), Journal.jdbc(database).named("outage"))
                    .every(JOB, ofMinutes(1))
                    .fire(run -> runs.add(time(run.scheduledFor())))
                    .start();
            advance(ofSeconds(30));
            for (int i = 0; i < 2; i++) {
                away.set(true);
                advance(ofSeconds(60));
                away.set(false);
                advance(ofSeconds(10));
            }
        } finally {
            log.removeHandler(listening);
        }

        assertThat(told)
                .extracting(LogRecord::getLevel)
                .containsExactly(Level.WARNING, Level.INFO, Level.WARNING, Level.INFO);
        assertThat(runs).containsExactly("00:01", "00:02");
    }
}
