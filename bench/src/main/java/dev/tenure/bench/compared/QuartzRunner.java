// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.compared;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.quartz.CronScheduleBuilder;
import org.quartz.DisallowConcurrentExecution;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/** Clustered, one run at a time, and a run whose process died is run again. */
final class QuartzRunner implements JobRunner {
    private static final String EFFECTS = "effects";

    @Override
    public LongSupplier start(Job job) throws SchedulerException {
        DBConnectionManager.getInstance().addConnectionProvider("bench", new Connections(job.pool()));
        Properties settings = new Properties();
        settings.setProperty("org.quartz.scheduler.instanceName", "compared");
        settings.setProperty("org.quartz.scheduler.instanceId", job.node());
        settings.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
        settings.setProperty("org.quartz.threadPool.threadCount", "10");
        settings.setProperty("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
        settings.setProperty(
                "org.quartz.jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate");
        settings.setProperty("org.quartz.jobStore.dataSource", "bench");
        settings.setProperty("org.quartz.jobStore.isClustered", "true");
        if (!job.idle()) {
            settings.setProperty("org.quartz.jobStore.clusterCheckinInterval", "1000");
        }
        Scheduler scheduler = new StdSchedulerFactory(settings).getScheduler();
        scheduler.getContext().put(EFFECTS, job.effects());
        JobDetail detail = JobBuilder.newJob(Body.class)
                .withIdentity("compared")
                .requestRecovery()
                .build();
        Trigger trigger = TriggerBuilder.newTrigger()
                .withIdentity("compared")
                .withSchedule(CronScheduleBuilder.cronSchedule(job.cron().replaceFirst("\\*$", "?")))
                .build();
        if (!scheduler.checkExists(detail.getKey())) {
            scheduler.scheduleJob(detail, Set.of(trigger), true);
        }
        scheduler.start();
        return () -> 0;
    }

    /** Created by Quartz for each run. */
    @DisallowConcurrentExecution
    public static final class Body implements org.quartz.Job {
        @Override
        public void execute(JobExecutionContext context) {
            try {
                Object effects = Objects.requireNonNull(
                        context.getScheduler().getContext().get(EFFECTS));
                ((Effects) effects).perform(Optional.of(dueMillis(context)));
            } catch (SchedulerException failure) {
                throw new IllegalStateException(failure);
            }
        }

        private static long dueMillis(JobExecutionContext context) {
            return context.isRecovering()
                    ? Long.parseLong(context.getMergedJobDataMap()
                            .getString(Scheduler.FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS))
                    : context.getScheduledFireTime().toInstant().toEpochMilli();
        }
    }

    private record Connections(DataSource pool) implements ConnectionProvider {
        @Override
        public Connection getConnection() throws SQLException {
            return pool.getConnection();
        }

        @Override
        public void shutdown() {}

        @Override
        public void initialize() {}
    }
}
