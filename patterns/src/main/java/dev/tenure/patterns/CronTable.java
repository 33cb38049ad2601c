package dev.tenure.patterns;

import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import dev.tenure.fence.sql.FencedSql;
import dev.tenure.patterns.Cron.State;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The leader's statements on the two tables. Every write goes through the fence. Times are milliseconds since 1970, UTC. */
final class CronTable {
    /** The columns {@code paused…}, {@code why} and {@code run_now…} belong to operators, the others to the leader. */
    static final String JOBS = """
            CREATE TABLE IF NOT EXISTS tenure_cron_job (
                journal VARCHAR(30) EXACT NOT NULL,
                job VARCHAR(60) EXACT NOT NULL,
                expression VARCHAR(400) NOT NULL,
                zone VARCHAR(100) NOT NULL,
                election VARCHAR(200) EXACT NOT NULL,
                token BIGINT NOT NULL,
                last_due BIGINT NOT NULL,
                paused_until BIGINT,
                paused_by VARCHAR(100),
                why VARCHAR(400),
                run_now BIGINT,
                run_now_by VARCHAR(100),
                PRIMARY KEY (journal, job)
            )""";

    static final String RUNS = """
            CREATE TABLE IF NOT EXISTS tenure_cron (
                journal VARCHAR(30) EXACT NOT NULL,
                job VARCHAR(60) EXACT NOT NULL,
                due BIGINT NOT NULL,
                state VARCHAR(10) EXACT NOT NULL,
                attempt INT NOT NULL,
                token BIGINT NOT NULL,
                nonce CHAR(32) EXACT NOT NULL,
                node VARCHAR(400) NOT NULL,
                began BIGINT NOT NULL,
                ended BIGINT,
                note VARCHAR(400) NOT NULL,
                PRIMARY KEY (journal, job, due)
            )""";

    static final int NOTE_MAX = 400;

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
        journal.create(JOBS, RUNS);
    }

    /** A job that is new is due from now on; of one that is known the leader's schedule counts, and the last due time stays. */
    void register(Leadership leadership, List<CronJob> jobs, long now) throws SQLException, StaleTokenException {
        fence.write(leadership, connection -> {
            for (CronJob job : jobs) {
                Schedule schedule = job.schedule();
                Object[] told = {
                    schedule.expression(),
                    schedule.zone().getId(),
                    leadership.term().election().toString(),
                    leadership.token().value()
                };
                int known = Journal.update(
                        connection,
                        "UPDATE tenure_cron_job SET expression = ?, zone = ?, election = ?, token = ?"
                                + " WHERE journal = ? AND job = ?",
                        told[0],
                        told[1],
                        told[2],
                        told[3],
                        journal.name(),
                        job.name());
                if (known == 0) {
                    Journal.update(
                            connection,
                            "INSERT INTO tenure_cron_job (expression, zone, election, token, last_due, journal, job)"
                                    + " VALUES (?, ?, ?, ?, ?, ?, ?)",
                            told[0],
                            told[1],
                            told[2],
                            told[3],
                            now,
                            journal.name(),
                            job.name());
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
                        row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4), text(row, 5), row.getLong(6)),
                journal.name());
    }

    private static String text(ResultSet row, int column) throws SQLException {
        String text = row.getString(column);
        return text == null ? "" : text;
    }

    /** A run that has not ended, as the journal has it. */
    record OpenRun(String job, long due, State state, int attempt, String nonce, Trace trace) {}

    /** Where it ran last, and when that ended. */
    record Trace(String node, long ended) {}

    private static final String OPEN = "SELECT job, due, state, attempt, nonce, node, ended FROM tenure_cron";

    private static OpenRun open(ResultSet row) throws SQLException {
        return new OpenRun(
                row.getString(1),
                row.getLong(2),
                State.valueOf(row.getString(3)),
                row.getInt(4),
                row.getString(5),
                new Trace(row.getString(6), row.getLong(7)));
    }

    List<OpenRun> openRuns() throws SQLException {
        return journal.query(
                OPEN + " WHERE journal = ? AND state IN ('DUE', 'RUNNING') ORDER BY job, due",
                CronTable::open,
                journal.name());
    }

    /** What is to be started. */
    record Start(String job, long due, int attempt, boolean asked, long began, String note) {}

    /**
     * Writes that a run starts, and that its due time is used up, or an operator's request fulfilled. Returns whether it has done so;
     * if not, the row is there already.
     */
    boolean start(Leadership leadership, Start start, String node) throws SQLException, StaleTokenException {
        try {
            fence.write(leadership, connection -> {
                insertOrRepeat(connection, leadership, start, node);
                useUp(connection, start);
            });
            return true;
        } catch (SQLException failure) {
            if (!Journal.isDuplicate(failure) && !(failure instanceof NotAsExpected)) {
                throw failure;
            }
            fence.write(leadership, connection -> useUp(connection, start));
            return false;
        }
    }

    private void useUp(Connection connection, Start start) throws SQLException {
        if (start.asked) {
            Journal.update(
                    connection,
                    "UPDATE tenure_cron_job SET run_now = NULL WHERE journal = ? AND job = ? AND run_now = ?",
                    journal.name(),
                    start.job,
                    start.due);
        } else if (start.attempt == 1) {
            moveTo(connection, start.job, start.due);
        }
    }

    private static final class NotAsExpected extends SQLException {
        private static final long serialVersionUID = 1L;
    }

    private void insertOrRepeat(Connection connection, Leadership leadership, Start start, String node)
            throws SQLException {
        if (start.attempt == 1) {
            Journal.update(
                    connection,
                    "INSERT INTO tenure_cron (state, attempt, token, nonce, node, began, note, journal, job, due)"
                            + " VALUES ('RUNNING', 1, ?, ?, ?, ?, ?, ?, ?, ?)",
                    leadership.token().value(),
                    leadership.term().nonce().toString(),
                    node,
                    start.began,
                    start.note,
                    journal.name(),
                    start.job,
                    start.due);
            return;
        }
        int changed = Journal.update(
                connection,
                "UPDATE tenure_cron SET state = 'RUNNING', attempt = attempt + 1, token = ?, nonce = ?, node = ?,"
                        + " began = ?, ended = NULL" + OF_RUN + " AND state = 'DUE' AND attempt = ?",
                leadership.token().value(),
                leadership.term().nonce().toString(),
                node,
                start.began,
                journal.name(),
                start.job,
                start.due,
                start.attempt - 1);
        if (changed == 0) {
            throw new NotAsExpected();
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
                due,
                journal.name(),
                job,
                due);
    }

    /** What became of an attempt; nothing happens if the journal has gone on meanwhile. */
    void end(Leadership leadership, OpenRun run, State state, long ended, @Nullable String note)
            throws SQLException, StaleTokenException {
        fence.update(
                leadership,
                "UPDATE tenure_cron SET state = ?, ended = ?, note = COALESCE(?, note)" + OF_RUN
                        + " AND state IN ('DUE', 'RUNNING') AND attempt = ? AND nonce = ?",
                state.name(),
                ended,
                note,
                journal.name(),
                run.job,
                run.due,
                run.attempt,
                run.nonce);
    }

    void forget(Leadership leadership, long before) throws SQLException, StaleTokenException {
        fence.update(
                leadership,
                "DELETE FROM tenure_cron WHERE journal = ? AND due < ? AND state NOT IN ('DUE', 'RUNNING')",
                journal.name(),
                before);
    }
}
