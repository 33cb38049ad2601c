package dev.tenure.patterns;

import dev.tenure.patterns.Cron.State;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What operators see of the jobs of a journal, and what they can ask for, from any process. The leader notices a request with its next
 * look, after 5 s at most unless it was told otherwise; a pause also counts for everything that starts after it.
 */
public final class CronJobs {
    private static final int BY_MAX = 100;
    private static final long OVERDUE_MILLIS = 60_000;

    private final Journal journal;

    private CronJobs(Journal journal) {
        this.journal = journal;
    }

    public static CronJobs in(Journal journal) {
        return new CronJobs(journal);
    }

    /** @param until {@link Instant#MAX} if it lasts until it is lifted */
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
    public record Run(String job, Instant due, State state, int attempt, Attempt at, String note) {}

    public record Attempt(String node, String token, Instant began, Optional<Instant> ended) {}

    /** By name; nothing if there is no journal yet. */
    public List<Job> list() throws SQLException {
        return journal.query(
                "SELECT j.job, j.expression, j.zone, j.last_due, j.paused_until, j.paused_by, j.why,"
                        + " CASE WHEN j.token < (SELECT MAX(o.token) FROM tenure_cron_job o WHERE o.journal = j.journal"
                        + " AND o.election = j.election) THEN 1 ELSE 0 END AS orphan, " + journal.product().now
                        + " AS millis, r.due, r.state, r.attempt, r.node, r.token, r.began, r.ended, r.note"
                        + " FROM tenure_cron_job j LEFT JOIN tenure_cron r ON r.journal = j.journal AND r.job = j.job"
                        + " AND r.due = (SELECT MAX(m.due) FROM tenure_cron m WHERE m.journal = j.journal AND m.job = j.job)"
                        + " WHERE j.journal = ? ORDER BY j.job",
                CronJobs::job,
                List.of(journal.name()));
    }

    private static Job job(ResultSet row) throws SQLException {
        String name = row.getString("job");
        Optional<Schedule> schedule = schedule(row.getString("expression"), row.getString("zone"));
        long pausedUntil = row.getLong("paused_until");
        long floor = Math.max(row.getLong("last_due"), pausedUntil);
        long now = row.getLong("millis");
        boolean paused = pausedUntil > now;
        Optional<Instant> next = paused && pausedUntil == Long.MAX_VALUE
                ? Optional.empty()
                : schedule.map(known -> known.next(Instant.ofEpochMilli(floor)));
        Optional<Pause> pause = paused
                ? Optional.of(new Pause(
                        pausedUntil == Long.MAX_VALUE ? Instant.MAX : Instant.ofEpochMilli(pausedUntil),
                        text(row, "paused_by"),
                        text(row, "why")))
                : Optional.empty();
        Optional<Run> newest = row.getObject("due") == null ? Optional.empty() : Optional.of(run(name, row));
        String shown = schedule.map(Schedule::toString).orElseGet(() -> "not a schedule that this version knows");
        boolean runs = newest.isPresent() && newest.get().state == State.RUNNING;
        boolean overdue = !runs && next.isPresent() && next.get().toEpochMilli() + OVERDUE_MILLIS < now;
        Condition condition =
                row.getInt("orphan") == 1 ? Condition.ORPHAN : overdue ? Condition.OVERDUE : Condition.ON_TIME;
        return new Job(name, shown, condition, next, pause, newest);
    }

    private static Optional<Schedule> schedule(String expression, String zone) {
        try {
            return Optional.of(Schedule.parse(expression, zone));
        } catch (RuntimeException ofAnotherVersion) {
            return Optional.empty();
        }
    }

    private static Run run(String job, ResultSet row) throws SQLException {
        Instant due = Instant.ofEpochMilli(row.getLong("due"));
        State state = State.valueOf(row.getString("state"));
        return new Run(job, due, state, row.getInt("attempt"), attempt(row), text(row, "note"));
    }

    static Attempt attempt(ResultSet row) throws SQLException {
        long ended = row.getLong("ended");
        return new Attempt(
                text(row, "node"),
                Long.toString(row.getLong("token")),
                Instant.ofEpochMilli(row.getLong("began")),
                ended == 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(ended)));
    }

    private static String text(ResultSet row, String column) throws SQLException {
        String text = row.getString(column);
        return text == null ? "" : text;
    }

    public Optional<Job> find(String job) throws SQLException {
        return list().stream().filter(each -> each.name().equals(job)).findFirst();
    }

    /** The newest runs of a job, newest first. */
    public List<Run> history(String job, int limit) throws SQLException {
        return journal.query(
                "SELECT due, state, attempt, node, token, began, ended, note FROM tenure_cron"
                        + " WHERE journal = ? AND job = ? ORDER BY due DESC LIMIT " + Math.max(0, limit),
                row -> run(job, row),
                List.of(journal.name(), job));
    }

    /**
     * Due times within the pause are not run, not later either. Returns whether there is such a job.
     *
     * @param until {@link Instant#MAX} to pause it until it is resumed
     */
    public boolean pause(String job, Instant until, String by, String why) throws SQLException {
        long millis = until.equals(Instant.MAX) ? Long.MAX_VALUE : until.toEpochMilli();
        return change(job, "paused_until = ?, paused_by = ?, why = ?", millis, cut(by), Journal.cut(why, 400));
    }

    /** The same for so long from now on, by the database's clock. */
    public boolean pause(String job, Duration lasting, String by, String why) throws SQLException {
        String until = "paused_until = " + journal.product().now + " + ?, paused_by = ?, why = ?";
        return change(job, until, lasting.toMillis(), cut(by), Journal.cut(why, 400));
    }

    /** It is due again from now on. */
    public boolean resume(String job) throws SQLException {
        return change(job, "paused_until = " + journal.product().now + ", paused_by = NULL, why = NULL");
    }

    /** Runs once as soon as the leader has looked, also if the job is paused; after the run that goes on, unless they may overlap. */
    public boolean runNow(String job, String by) throws SQLException {
        return change(job, "run_now = " + journal.product().now + ", run_now_by = ?", cut(by));
    }

    private static String cut(String by) {
        return Journal.cut(by, BY_MAX);
    }

    private boolean change(String job, String columns, Object... values) throws SQLException {
        List<Object> all = new ArrayList<>(List.of(values));
        all.addAll(List.of(journal.name(), job));
        return journal.update("UPDATE tenure_cron_job SET " + columns + " WHERE journal = ? AND job = ?", all) > 0;
    }
}
