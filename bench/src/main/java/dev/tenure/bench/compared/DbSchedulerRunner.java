// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.compared;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.task.helper.RecurringTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.github.kagkarlsson.scheduler.task.schedule.Schedules;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/** A recurring task. An execution whose process died is run again, at once, as is the default. */
final class DbSchedulerRunner implements JobRunner {
    /** The fewest that it accepts. */
    private static final int MISSED_HEARTBEATS = 4;

    @Override
    public LongSupplier start(Job job) {
        RecurringTask<Void> task = Tasks.recurring("compared", Schedules.cron(job.cron()))
                .execute((instance, context) -> job.effects()
                        .perform(Optional.of(
                                context.getExecution().getExecutionTime().toEpochMilli())));
        SchedulerBuilder builder =
                Scheduler.create(job.pool()).startTasks(task).schedulerName(new SchedulerName.Fixed(job.node()));
        if (!job.idle()) {
            builder.pollingInterval(Duration.ofMillis(500))
                    .heartbeatInterval(LOCK_TIME.dividedBy(MISSED_HEARTBEATS))
                    .missedHeartbeatsLimit(MISSED_HEARTBEATS);
        }
        builder.build().start();
        return () -> 0;
    }
}
