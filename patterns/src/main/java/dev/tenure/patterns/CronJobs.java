// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import dev.tenure.patterns.Cron.State;
import dev.tenure.patterns.Journal.Attempt;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What operators see of the jobs of a journal, and what they can ask for, from any process. The leader notices a request with its next
 * look, within 30 s; a pause also counts for everything that starts after it.
 */
public final class CronJobs {
    /** A pause until it is lifted. */
    public static final Instant UNTIL_RESUMED = Instant.parse("9999-12-31T00:00:00Z");

    private static final long OVERDUE_MILLIS = 60_000;
    private static final String NEWEST =
            "r.due = (SELECT MAX(m.due) FROM tenure_cron m WHERE m.journal = j.journal AND m.job = j.job)";

    private final Journal journal;

    private CronJobs(Journal journal) {
        this.journal = journal;
    }

    public static CronJobs in(Journal journal) {
        return new CronJobs(journal);
    }

    public record Pause(Instant until, String by, String why) {}

    public enum Condition {
        ON_TIME,
        /** It should have started a while ago: nobody leads, or the leader is in trouble. */
        OVERDUE,
        /** The present leader's code does not have it. */
        ORPHAN
    }

    /**
     * A job as the journal knows it.
     *
     * @param next when it is due by its schedule; an instant that has passed means that it is overdue since then
     */
    public record Job(
            String name,
            String schedule,
            Condition condition,
            Optional<Instant> next,
            Optional<Pause> pause,
            Optional<Run> newest) {}

    /** The newest attempt of a run. */
    public record Run(String job, Instant due, State state, int attempt, Attempt at, String note) {
        static Optional<Run> read(String job, ResultSet row) throws SQLException {
            long due = row.getLong("due");
            return row.wasNull()
                    ? Optional.empty()
                    : Optional.of(new Run(
                            job,
                            Instant.ofEpochMilli(due),
                            State.valueOf(row.getString("state")),
                            row.getInt("attempt"),
                            Attempt.read(row),
                            row.getString("note")));
        }

        long dueMillis() {
            return due.toEpochMilli();
        }

        @Override
        public String toString() {
            return "attempt " + attempt + " of job " + job + " due at " + due;
        }
    }

    /** By name; nothing if there is no journal yet. */
    public List<Job> list() throws SQLException {
        return journal.query(CronTable.select(journal, NEWEST), CronJobs::job, journal.name());
    }

    private static Job job(ResultSet row) throws SQLException {
        String name = row.getString("job");
        long now = row.getLong("millis");
        Instant floor = Instant.ofEpochMilli(row.getLong("used_up"));
        Schedule schedule = Schedule.parse(row.getString("expression"), row.getString("zone"));
        Optional<Instant> next = Optional.of(schedule.next(floor)).filter(due -> due.isBefore(UNTIL_RESUMED));
        Instant until = Instant.ofEpochMilli(row.getLong("paused_until"));
        Pause pause = new Pause(until, row.getString("paused_by"), row.getString("why"));
        Optional<Run> newest = Run.read(name, row);
        boolean runs = newest.isPresent() && newest.get().state == State.RUNNING;
        boolean overdue = !runs && next.isPresent() && next.get().toEpochMilli() + OVERDUE_MILLIS < now;
        return new Job(
                name,
                schedule.toString(),
                row.getLong("behind") > 0 ? Condition.ORPHAN : overdue ? Condition.OVERDUE : Condition.ON_TIME,
                next,
                Optional.of(pause).filter(told -> until.toEpochMilli() > now),
                newest);
    }

    public Optional<Job> find(String job) throws SQLException {
        return list().stream().filter(each -> each.name().equals(job)).findFirst();
    }

    /** The newest runs of a job, newest first. */
    public List<Run> history(String job, int limit) throws SQLException {
        return journal.query(
                "SELECT " + CronTable.COLUMNS + " FROM tenure_cron r WHERE journal = ? AND job = ?"
                        + " ORDER BY due DESC LIMIT " + Math.max(0, limit),
                row -> Run.read(job, row).orElseThrow(),
                journal.name(),
                job);
    }

    /** Due times before its end that were not started are not run, not later either, and retries wait. Returns whether there is such a job. */
    public boolean pause(String job, Instant until, String by, String why) throws SQLException {
        long end = (until.isAfter(UNTIL_RESUMED) ? UNTIL_RESUMED : until).toEpochMilli();
        String columns = "paused_until = ?, paused_by = ?, why = ?";
        return change(columns, end, Journal.cut(by), Journal.cut(why), journal.name(), job);
    }

    /** The same for so long from now on, by the database's clock. */
    public boolean pause(String job, Duration lasting, String by, String why) throws SQLException {
        String columns = "paused_until = " + journal.product().now + " + ?, paused_by = ?, why = ?";
        return change(columns, lasting.toMillis(), Journal.cut(by), Journal.cut(why), journal.name(), job);
    }

    /** It is due again from now on, if it is paused. */
    public boolean resume(String job) throws SQLException {
        return change("paused_until = LEAST(paused_until, " + journal.product().now + ")", journal.name(), job);
    }

    /** Runs once as soon as the leader has looked, also if the job is paused; after the run that goes on, unless they may overlap. */
    public boolean runNow(String job, String by) throws SQLException {
        String note = Journal.cut("asked for by " + by);
        return journal.update(CronTable.insert(journal.product().now), note, journal.name(), job) > 0;
    }

    private boolean change(String columns, Object... values) throws SQLException {
        return journal.update("UPDATE tenure_cron_job SET " + columns + CronTable.OF_JOB, values) > 0;
    }
}
