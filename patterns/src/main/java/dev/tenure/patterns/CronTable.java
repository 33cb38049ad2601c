// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import dev.tenure.fence.sql.FencedSql;
import dev.tenure.fence.sql.SqlWork;
import dev.tenure.patterns.Cron.State;
import dev.tenure.patterns.CronJobs.Run;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** One leader's statements on the two tables. Every write goes through the fence. Times are milliseconds since 1970, UTC. */
record CronTable(Journal journal, FencedSql fence, Leadership leadership, long keepMillis) {
    /** The columns {@code paused…} and {@code why} belong to operators, the others to the leader. */
    private static final String JOBS = """
            journal VARCHAR(30) NOT NULL, job VARCHAR(60) NOT NULL,
            expression VARCHAR(400) NOT NULL, zone VARCHAR(100) NOT NULL, token BIGINT NOT NULL, last_due BIGINT NOT NULL,
            paused_until BIGINT DEFAULT 0 NOT NULL, paused_by VARCHAR(400) DEFAULT '' NOT NULL, why VARCHAR(400) DEFAULT '' NOT NULL,
            PRIMARY KEY (journal, job)""";

    /**
     * The second key makes an index, so that a look reads the open runs however long the history is. An index of its own would come after the
     * table, and a process can die in between.
     */
    private static final String RUNS = """
            journal VARCHAR(30) NOT NULL, job VARCHAR(60) NOT NULL, due BIGINT NOT NULL,
            state VARCHAR(10) DEFAULT 'DUE' NOT NULL, attempt INT DEFAULT 0 NOT NULL, token BIGINT DEFAULT 0 NOT NULL,
            nonce CHAR(32) DEFAULT '' NOT NULL, node VARCHAR(400) DEFAULT '' NOT NULL, began BIGINT DEFAULT 0 NOT NULL,
            ended BIGINT, note VARCHAR(400) NOT NULL,
            PRIMARY KEY (journal, job, due), UNIQUE (journal, job, state, due)""";

    static final String COLUMNS = "r.due, r.state, r.attempt, r.node, r.token, r.nonce, r.began, r.ended, r.note";
    private static final String OPEN = "('DUE', 'RUNNING')";
    static final String OF_JOB = " WHERE journal = ? AND job = ?";
    private static final String OF_RUN = OF_JOB + " AND due = ?";

    /**
     * A job that is new is due from now on; of one that is known the leader's schedule counts, and the last due time stays. What other
     * terms have left open of jobs that are not in this code is over.
     */
    void register(List<CronJob> jobs, long now) throws SQLException, StaleTokenException {
        journal.create("tenure_cron_job", JOBS);
        journal.create("tenure_cron", RUNS);
        String update = "UPDATE tenure_cron_job SET expression = ?, zone = ?, token = ?" + OF_JOB;
        String insert = "INSERT INTO tenure_cron_job (expression, zone, token, journal, job, last_due)"
                + " VALUES (?, ?, ?, ?, ?, " + now + ")";
        fence.write(leadership, connection -> {
            for (CronJob job : jobs) {
                String zone = job.schedule.zone().getId();
                Journal.put(
                        connection, update, insert, job.schedule.expression(), zone, token(), journal.name(), job.name);
            }
            String abandon = "UPDATE tenure_cron SET state = 'ABANDONED', ended = ? WHERE journal = ? AND state IN "
                    + OPEN + " AND job IN (SELECT job FROM tenure_cron_job WHERE journal = ? AND token <> ?)";
            Journal.update(connection, abandon, now, journal.name(), journal.name(), token());
            String forget = "DELETE FROM tenure_cron WHERE journal = ? AND due < ? AND state NOT IN " + OPEN;
            Journal.update(connection, forget, journal.name(), now - keepMillis);
        });
    }

    private long token() {
        return leadership.token().value();
    }

    private String nonce() {
        return leadership.term().nonce().toString();
    }

    boolean isOurs(Run run) {
        return run.state() == State.RUNNING && run.at().nonce().equals(nonce());
    }

    /** What the journal says of a job, and of one of its open runs if there is one. */
    record JobRow(String job, long floor, Optional<Run> open) {
        private static JobRow read(ResultSet row) throws SQLException {
            String job = row.getString("job");
            return new JobRow(job, row.getLong("used_up"), Run.read(job, row));
        }
    }

    long databaseMillis() throws SQLException {
        return journal.query("SELECT " + journal.product().now, row -> row.getLong(1))
                .get(0);
    }

    /** The one statement of an idle leader. */
    List<JobRow> look() throws SQLException {
        return journal.query(select(journal, "r.state IN " + OPEN), JobRow::read, journal.name());
    }

    /** Each job, with those of its runs that fit. */
    static String select(Journal journal, String runs) throws SQLException {
        return "SELECT j.job, j.expression, j.zone, j.paused_until, j.paused_by, j.why,"
                + " GREATEST(j.last_due, j.paused_until) AS used_up,"
                + " (SELECT MAX(o.token) FROM tenure_cron_job o WHERE o.journal = j.journal) - j.token AS behind, "
                + journal.product().now + " AS millis, " + COLUMNS
                + " FROM tenure_cron_job j LEFT JOIN tenure_cron r ON r.journal = j.journal AND r.job = j.job AND "
                + runs + " WHERE j.journal = ? ORDER BY j.job, r.due";
    }

    /** A run that waits for its first attempt, if there is such a job. */
    static String insert(String due) {
        return "INSERT INTO tenure_cron (journal, job, due, began, note) SELECT j.journal, j.job, " + due + ", " + due
                + ", CONCAT(?, '') FROM tenure_cron_job j WHERE j.journal = ? AND j.job = ?";
    }

    /** Unless this due time has its row, or is in a pause that was asked for since the last look. */
    SqlWork add(String job, long due) {
        String unless = " AND j.paused_until < ? AND NOT EXISTS (SELECT r.due FROM tenure_cron r"
                + " WHERE r.journal = j.journal AND r.job = j.job AND r.due = ?)";
        return change(insert(Long.toString(due)) + unless, "", journal.name(), job, due, due);
    }

    /** The run waits for this attempt. */
    SqlWork startAttempt(String job, long due, int attempt, long now) {
        String sql = "UPDATE tenure_cron SET state = 'RUNNING', attempt = " + attempt + ", token = " + token()
                + ", nonce = ?, node = ?, began = " + now + ", ended = NULL" + OF_RUN + " AND state = 'DUE'";
        return change(sql, nonce(), Journal.cut(leadership.term().holder()), journal.name(), job, due);
    }

    /** What became of an attempt; nothing happens if the journal has gone on meanwhile, also in this term: a statement may come late. */
    SqlWork end(Run run, State state, long now, String note) {
        String sql = "UPDATE tenure_cron SET state = '" + state + "', ended = " + now + ", note = ?" + OF_RUN
                + " AND nonce = ? AND state = '" + run.state() + "' AND attempt = " + run.attempt();
        String told = note.isEmpty() ? run.note() : Journal.cut(note);
        return change(
                sql, told, journal.name(), run.job(), run.dueMillis(), run.at().nonce());
    }

    /** This and all earlier due times are used up, and the oldest are forgotten. */
    SqlWork useUp(String job, long due) {
        String forget = "DELETE FROM tenure_cron" + OF_JOB + " AND due < ? AND state NOT IN " + OPEN;
        String useUp = "UPDATE tenure_cron_job SET last_due = ?" + OF_JOB + " AND last_due < ?";
        return connection -> { // the job's row first, as an operator's request does: else the two could deadlock
            Journal.update(connection, useUp, due, journal.name(), job, due);
            Journal.update(connection, forget, journal.name(), job, due - keepMillis);
        };
    }

    void write(List<SqlWork> changes) throws SQLException, StaleTokenException {
        fence.write(leadership, connection -> {
            for (SqlWork change : changes) {
                change.run(connection);
            }
        });
    }

    private static SqlWork change(String sql, Object... parameters) {
        return connection -> Journal.update(connection, sql, parameters);
    }
}
