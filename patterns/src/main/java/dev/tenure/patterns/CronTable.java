package dev.tenure.patterns;

import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import dev.tenure.fence.sql.FencedSql;
import dev.tenure.patterns.Cron.State;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The leader's statements on the two tables. Every write goes through the fence. Times are milliseconds since 1970, UTC. */
final class CronTable {
    /** The columns {@code paused…}, {@code why} and {@code run_now…} belong to operators, the others to the leader. */
    static final String JOBS = """
            CREATE TABLE IF NOT EXISTS tenure_cron_job (
                journal VARCHAR(30) EXACT NOT NULL, job VARCHAR(60) EXACT NOT NULL,
                expression VARCHAR(400) NOT NULL, zone VARCHAR(100) NOT NULL,
                election VARCHAR(200) EXACT NOT NULL, token BIGINT NOT NULL, last_due BIGINT NOT NULL,
                paused_until BIGINT, paused_by VARCHAR(100), why VARCHAR(400),
                run_now BIGINT, run_now_by VARCHAR(100),
                PRIMARY KEY (journal, job)
            )""";

    static final String RUNS = """
            CREATE TABLE IF NOT EXISTS tenure_cron (
                journal VARCHAR(30) EXACT NOT NULL, job VARCHAR(60) EXACT NOT NULL, due BIGINT NOT NULL,
                state VARCHAR(10) EXACT NOT NULL, attempt INT NOT NULL,
                token BIGINT NOT NULL, nonce CHAR(32) EXACT NOT NULL, node VARCHAR(400) NOT NULL,
                began BIGINT NOT NULL, ended BIGINT, note VARCHAR(400) NOT NULL,
                PRIMARY KEY (journal, job, due)
            )""";

    static final int NOTE_MAX = 400;

    private static final String REGISTER =
            "UPDATE tenure_cron_job SET expression = ?, zone = ?, election = ?, token = ? WHERE journal = ? AND job = ?";
    private static final String ADD = "INSERT INTO tenure_cron_job"
            + " (expression, zone, election, token, journal, job, last_due) VALUES (?, ?, ?, ?, ?, ?, ?)";
    private static final String START = "INSERT INTO tenure_cron"
            + " (state, attempt, token, nonce, node, began, note, journal, job, due) VALUES ('RUNNING', 1, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String OF_RUN = " WHERE journal = ? AND job = ? AND due = ?";

    private final Journal journal;
    private final FencedSql fence;

    CronTable(Journal journal, FencedSql fence) {
        this.journal = journal;
        this.fence = fence;
    }

    FencedSql fence() {
        return fence;
    }

    void create() throws SQLException {
        journal.create("tenure_cron_job", JOBS);
        journal.create("tenure_cron", RUNS);
    }

    /** A job that is new is due from now on; of one that is known the leader's schedule counts, and the last due time stays. */
    void register(Leadership leadership, List<CronJob> jobs, long now) throws SQLException, StaleTokenException {
        String election = leadership.term().election().toString();
        long token = leadership.token().value();
        fence.write(leadership, connection -> {
            for (CronJob job : jobs) {
                String expression = job.schedule.expression();
                String zone = job.schedule.zone().getId();
                List<Object> told = List.of(expression, zone, election, token, journal.name(), job.name);
                if (Journal.update(connection, REGISTER, told) == 0) {
                    Journal.update(
                            connection, ADD, List.of(expression, zone, election, token, journal.name(), job.name, now));
                }
            }
        });
    }

    /** What the journal says of a job. */
    record JobRow(String job, long lastDue, long pausedUntil, long runNow, String runNowBy, long databaseMillis) {
        /** Nothing up to here is due any more. */
        long floor() {
            return Math.max(lastDue, pausedUntil);
        }
    }

    /** The one statement of an idle leader. */
    List<JobRow> look() throws SQLException {
        return journal.query(
                "SELECT job, last_due, paused_until, run_now, run_now_by, " + journal.product().now
                        + " FROM tenure_cron_job WHERE journal = ?",
                row -> new JobRow(
                        row.getString(1),
                        row.getLong(2),
                        row.getLong(3),
                        row.getLong(4),
                        Journal.text(row, 5),
                        row.getLong(6)),
                List.of(journal.name()));
    }

    /** A run that has not ended: where it runs or ran last, and when that ended. */
    record OpenRun(String job, long due, State state, int attempt, String nonce, Trace trace) {
        @Override
        public String toString() {
            return "the run of job " + job + " due at " + Instant.ofEpochMilli(due);
        }
    }

    record Trace(String node, long ended) {}

    List<OpenRun> openRuns() throws SQLException {
        return journal.query(
                "SELECT job, due, state, attempt, nonce, node, ended FROM tenure_cron"
                        + " WHERE journal = ? AND state IN ('DUE', 'RUNNING') ORDER BY job, due",
                row -> new OpenRun(
                        row.getString(1),
                        row.getLong(2),
                        State.valueOf(row.getString(3)),
                        row.getInt(4),
                        row.getString(5),
                        new Trace(row.getString(6), row.getLong(7))),
                List.of(journal.name()));
    }

    /**
     * Writes that a run starts, and that its due time is used up, or an operator's request fulfilled. Returns whether it has done so;
     * if not, the row is there already.
     */
    boolean start(Leadership leadership, OpenRun run, long now, Optional<String> askedBy)
            throws SQLException, StaleTokenException {
        try {
            fence.write(leadership, connection -> {
                insertOrRepeat(connection, leadership.token().value(), run, now, askedBy);
                useUp(connection, run, askedBy.isPresent());
            });
            return true;
        } catch (SQLException failure) {
            if (!Journal.isDuplicate(failure) && !(failure instanceof NotAsExpected)) {
                throw failure;
            }
            fence.write(leadership, connection -> useUp(connection, run, askedBy.isPresent()));
            return false;
        }
    }

    private static final class NotAsExpected extends SQLException {
        private static final long serialVersionUID = 1L;
    }

    private void insertOrRepeat(Connection connection, long token, OpenRun run, long now, Optional<String> askedBy)
            throws SQLException {
        String node = run.trace.node;
        if (run.attempt == 1) {
            String note = askedBy.map(by -> "asked for by " + by).orElse("");
            Journal.update(
                    connection, START, List.of(token, run.nonce, node, now, note, journal.name(), run.job, run.due));
        } else if (Journal.update(
                        connection,
                        "UPDATE tenure_cron SET state = 'RUNNING', attempt = attempt + 1, token = ?, nonce = ?, node = ?,"
                                + " began = ?, ended = NULL" + OF_RUN + " AND state = 'DUE' AND attempt = ?",
                        List.of(token, run.nonce, node, now, journal.name(), run.job, run.due, run.attempt - 1))
                == 0) {
            throw new NotAsExpected();
        }
    }

    private void useUp(Connection connection, OpenRun run, boolean asked) throws SQLException {
        if (asked) {
            Journal.update(
                    connection,
                    "UPDATE tenure_cron_job SET run_now = NULL WHERE journal = ? AND job = ? AND run_now = ?",
                    List.of(journal.name(), run.job, run.due));
        } else if (run.attempt == 1) {
            moveTo(connection, run.job, run.due);
        }
    }

    /** This and all earlier due times are used up. */
    void skipTo(Leadership leadership, String job, long due) throws SQLException, StaleTokenException {
        fence.write(leadership, connection -> moveTo(connection, job, due));
    }

    private void moveTo(Connection connection, String job, long due) throws SQLException {
        Journal.update(
                connection,
                "UPDATE tenure_cron_job SET last_due = ? WHERE journal = ? AND job = ? AND last_due < ?",
                List.of(due, journal.name(), job, due));
    }

    /** What became of an attempt; nothing happens if the journal has gone on meanwhile. An empty note keeps the old one. */
    void end(Leadership leadership, OpenRun run, State state, long ended, String note)
            throws SQLException, StaleTokenException {
        fence.update(
                leadership,
                "UPDATE tenure_cron SET state = ?, ended = ?, note = CASE WHEN ? = '' THEN note ELSE ? END" + OF_RUN
                        + " AND state IN ('DUE', 'RUNNING') AND attempt = ? AND nonce = ?",
                List.<Object>of(
                                state.name(),
                                ended,
                                note,
                                note,
                                journal.name(),
                                run.job,
                                run.due,
                                run.attempt,
                                run.nonce)
                        .toArray());
    }

    void forget(Leadership leadership, long before) throws SQLException, StaleTokenException {
        fence.update(
                leadership,
                "DELETE FROM tenure_cron WHERE journal = ? AND due < ? AND state NOT IN ('DUE', 'RUNNING')",
                journal.name(),
                before);
    }
}
