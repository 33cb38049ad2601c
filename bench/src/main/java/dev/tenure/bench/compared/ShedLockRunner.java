// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.compared;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.LongSupplier;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.support.CronTrigger;

/** Spring's scheduler in each process, and a lock by the database's time around the job. */
final class ShedLockRunner implements JobRunner {
    /** Processes whose clocks differ by less do not run one due time twice. */
    private static final Duration AT_LEAST = PERIOD.dividedBy(2);

    @Override
    public LongSupplier start(Job job) {
        LockingTaskExecutor locking = new DefaultLockingTaskExecutor(
                new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                        .withJdbcTemplate(new JdbcTemplate(job.pool()))
                        .usingDbTime()
                        .build()));
        Runnable body = () -> job.effects().perform(Optional.empty());
        ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
        scheduler.initialize();
        var unused = scheduler.schedule(
                () -> locking.executeWithLock(
                        body, new LockConfiguration(Instant.now(), "compared", LOCK_TIME, AT_LEAST)),
                new CronTrigger(job.cron()));
        return () -> 0;
    }
}
