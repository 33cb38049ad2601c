// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.compared;

import dev.tenure.Tenure;
import dev.tenure.patterns.Cron;
import dev.tenure.patterns.Cron.Missed;
import dev.tenure.patterns.Cron.Overlap;
import dev.tenure.patterns.Journal;
import dev.tenure.patterns.Schedule;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Runs every due time, in order, and writes through the fence. */
final class TenureCronRunner implements JobRunner {
    private final int retries;

    /** @param retries of a run that was abandoned */
    TenureCronRunner(int retries) {
        this.retries = retries;
    }

    @Override
    public LongSupplier start(Job job) {
        Tenure tenure = TenureLeaderRunner.connect(job);
        Schedule schedule = job.idle() ? Schedule.cron("0 0 1 1 *", ZoneOffset.UTC) : Schedule.every(PERIOD);
        Cron.on(tenure, Journal.jdbc(job.pool()))
                .at("compared", schedule)
                .missed(Missed.RUN_ALL)
                .overlap(Overlap.WAIT)
                .retry(retries, Duration.ZERO)
                .fire(run ->
                        job.effects().perform(Optional.of(run.scheduledFor().toEpochMilli()), run::write))
                .start();
        return () -> tenure.stats().renewals();
    }
}
