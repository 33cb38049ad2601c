// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.compared;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The contenders. */
enum JobKind {
    CRON("Tenure cron", ""),
    CRON_RETRY("Tenure cron, retry", ""),
    LEADER("Tenure leader", ""),
    QUARTZ("Quartz", "@org/quartz/impl/jdbcjobstore/tables_postgres.sql"),
    DB_SCHEDULER(
            "db-scheduler",
            "CREATE TABLE scheduled_tasks (task_name TEXT, task_instance TEXT, task_data BYTEA, execution_time TIMESTAMPTZ,"
                    + " picked BOOLEAN NOT NULL, picked_by TEXT, last_success TIMESTAMPTZ, last_failure TIMESTAMPTZ,"
                    + " consecutive_failures INT, last_heartbeat TIMESTAMPTZ, version BIGINT NOT NULL, priority SMALLINT,"
                    + " state TEXT, PRIMARY KEY (task_name, task_instance));"
                    + "CREATE INDEX ON scheduled_tasks (execution_time); CREATE INDEX ON scheduled_tasks (last_heartbeat)"),
    SHEDLOCK(
            "ShedLock",
            "CREATE TABLE shedlock (name VARCHAR(64) PRIMARY KEY, lock_until TIMESTAMP NOT NULL,"
                    + " locked_at TIMESTAMP NOT NULL, locked_by VARCHAR(255) NOT NULL)"),
    SPRING("Spring Integration", "@org/springframework/integration/jdbc/schema-postgresql.sql");

    private final String title;
    private final String tables;

    /** @param tables what its user has to create, or with {@code @} the library's own file with it */
    JobKind(String title, String tables) {
        this.title = title;
        this.tables = tables;
    }

    String title() {
        return title;
    }

    JobRunner runner() {
        return switch (this) {
            case CRON -> new TenureCronRunner(0);
            case CRON_RETRY -> new TenureCronRunner(1);
            case LEADER -> new TenureLeaderRunner();
            case QUARTZ -> new QuartzRunner();
            case DB_SCHEDULER -> new DbSchedulerRunner();
            case SHEDLOCK -> new ShedLockRunner();
            case SPRING -> new SpringLeaderRunner();
        };
    }

    boolean isTenure() {
        return this == CRON || this == CRON_RETRY || this == LEADER;
    }

    String tables() throws IOException {
        if (!tables.startsWith("@")) {
            return tables;
        }
        try (InputStream file = Objects.requireNonNull(
                JobKind.class.getClassLoader().getResourceAsStream(tables.substring(1)), tables)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
