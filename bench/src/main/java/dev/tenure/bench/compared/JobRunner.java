// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.compared;

import java.time.Duration;
import java.util.function.LongSupplier;
import javax.sql.DataSource;

/** One contender in one process: it runs a job every two seconds, or keeps a job that is not due. */
interface JobRunner {
    Duration PERIOD = Duration.ofSeconds(2);
    /** After so long without a sign of life another process takes over, where a contender has a setting for it. */
    Duration LOCK_TIME = Duration.ofSeconds(4);

    /** The job's period for libraries with seconds in their cron expressions. */
    String EVERY_PERIOD = "*/2 * * * * *";

    String ONCE_A_YEAR = "0 0 0 1 1 *";

    /**
     * @param url of the database, for JDBC
     * @param node the name of this process
     * @param idle whether the job is not due, and every setting is the library's default
     */
    record Job(DataSource pool, String url, String node, boolean idle, Effects effects) {
        String cron() {
            return idle ? ONCE_A_YEAR : EVERY_PERIOD;
        }

        /** Until the next period begins, by this process's clock. */
        Duration untilDue() {
            long period = (idle ? Duration.ofDays(1) : PERIOD).toMillis();
            return Duration.ofMillis(period - System.currentTimeMillis() % period);
        }
    }

    /** Returns at once. What it returns counts Tenure's heartbeats; a peer's is always zero. */
    LongSupplier start(Job job) throws Exception;
}
