package dev.tenure.patterns;

import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import dev.tenure.fence.sql.SqlWork;
import dev.tenure.patterns.Cron.Missed;
import dev.tenure.patterns.Cron.Overlap;
import dev.tenure.patterns.Cron.State;
import dev.tenure.patterns.CronJobs.Run;
import dev.tenure.patterns.CronTable.JobRow;
import dev.tenure.patterns.RunningJob.Outcome;
import dev.tenure.spi.Host;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * One term. It looks at the journal, writes what follows from it, and looks again, until there is nothing to write. A run begins when a
 * look finds its row, so that it does not matter which of several writes has failed, or whether it has.
 */
final class CronTerm {
    private static final Logger LOG = System.getLogger("dev.tenure.patterns.cron");
    private static final long AGAIN_NANOS = 1_000_000_000;
    /** Two of the usual heartbeats. */
    private static final long LOOK_NANOS = 5_000_000_000L;

    private static final long CLOCKS_APART_MILLIS = 1_000;
    private static final long DAY_MILLIS = 86_400_000;

    private final Host host;
    private final CronTable table;
    private final Leadership leadership;
    private final long keepMillis;
    private final List<Turn> turns;
    private volatile Host.Signal wake;
    private long forgottenMillis;
    private boolean clocksCompared;
    private boolean interrupted;

    CronTerm(Host host, CronTable table, Leadership leadership, List<CronJob> jobs, long keepMillis) {
        this.host = host;
        this.table = table;
        this.leadership = leadership;
        this.keepMillis = keepMillis;
        this.wake = host.signal();
        this.turns = jobs.stream()
                .map(job -> new Turn(job, new ArrayList<>(), new ArrayList<>()))
                .toList();
    }

    /** A job in this term: what the last look has found, none if its row is gone, and its runs here. */
    private record Turn(CronJob job, List<JobRow> rows, List<RunningJob> running) {
        List<Run> open() {
            return rows.stream().flatMap(row -> row.open().stream()).toList();
        }

        boolean runs(Run run) {
            return running.stream().anyMatch(each -> each.run().due().equals(run.due()));
        }

        long next(long after) {
            return job.schedule.next(Instant.ofEpochMilli(after)).toEpochMilli();
        }

        /** When the due time after this one is to be started. */
        long startAfter(long due) {
            return next(due) + job.spreadMillis();
        }

        Stream<Long> starts() {
            return rows.stream()
                    .flatMap(row ->
                            Stream.concat(Stream.of(startAfter(row.floor())), row.open().map(this::retryAt).stream()));
        }

        /** Not in a pause, unless an operator has asked for the run. */
        long retryAt(Run run) {
            long ended = run.at().ended().orElse(Instant.EPOCH).toEpochMilli();
            return run.attempt() == 0
                    ? 0
                    : Math.max(ended + job.retryMillis, rows.get(0).floor());
        }
    }

    void perform() throws SQLException, StaleTokenException {
        leadership.onLoss(loss -> wake.set());
        table.register(turns.stream().map(turn -> turn.job).toList(), host.wallMillis());
        try {
            while (anyRun(run -> true) || leadership.isActive()) {
                await(pass());
            }
        } finally { // whatever was thrown: the term does not end under its runs
            interruptRuns();
            while (anyRun(run -> !run.hasEnded())) {
                await(LOOK_NANOS);
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Makes the signal first: a run that ends from here on, or the term, is seen or wakes. */
    private boolean anyRun(Predicate<RunningJob> which) {
        wake = host.signal();
        return turns.stream().flatMap(turn -> turn.running.stream()).anyMatch(which);
    }

    private void await(long nanos) {
        try {
            wake.await(nanos);
        } catch (InterruptedException told) {
            interrupted = true;
            interruptRuns();
        }
    }

    private void interruptRuns() {
        turns.forEach(turn -> turn.running.forEach(run -> run.interrupt("the term has ended")));
    }

    /** Returns how long there is nothing to do, in nanoseconds. */
    private long pass() {
        try {
            look();
            long now = host.wallMillis();
            List<SqlWork> changes = changes(now);
            while (!changes.isEmpty()) {
                table.write(changes);
                look(); // at once: what was started begins, also if the term ends just now
                now = host.wallMillis();
                changes = changes(now);
            }
            return untilNext(now);
        } catch (SQLException | StaleTokenException failure) {
            LOG.log(Level.WARNING, "the journal of cron cannot be read or written: jobs start late", failure);
            if (!leadership.isActive()) {
                turns.forEach(turn -> turn.running.removeIf(RunningJob::hasEnded));
            }
            return AGAIN_NANOS;
        }
    }

    private List<SqlWork> changes(long now) {
        List<SqlWork> changes = new ArrayList<>();
        for (Turn turn : turns) {
            boolean ended = endRuns(turn, now, changes);
            if (!ended && leadership.isActive() && !turn.rows.isEmpty()) {
                startRuns(turn, now, changes);
            }
        }
        if (now - forgottenMillis >= DAY_MILLIS) {
            changes.add(table.forget(now - keepMillis));
            forgottenMillis = now;
        }
        return changes;
    }

    private void look() throws SQLException {
        List<JobRow> rows = table.look();
        rows.stream().findFirst().ifPresent(row -> compareClocks(row.databaseMillis()));
        for (Turn turn : turns) {
            turn.rows.clear();
            rows.stream().filter(row -> row.job().equals(turn.job.name)).forEach(turn.rows::add);
            List<Run> ours = turn.open().stream().filter(this::runsHere).toList();
            turn.running.removeIf(run -> run.hasEnded() && !ours.contains(run.run()));
            if (leadership.isValid()) {
                ours.stream().filter(run -> !turn.runs(run)).forEach(run -> begin(turn, run));
            }
        }
    }

    private boolean runsHere(Run run) {
        return run.state() == State.RUNNING && run.at().nonce().equals(table.nonce());
    }

    private void begin(Turn turn, Run run) {
        RunningJob running = new RunningJob(turn.job, run, host);
        turn.running.add(running);
        running.begin(table.run(run), () -> wake.set());
        if (interrupted) {
            running.interrupt("the term has ended");
        }
    }

    private void compareClocks(long databaseMillis) {
        long ahead = host.wallMillis() - databaseMillis;
        if (!clocksCompared && Math.abs(ahead) > CLOCKS_APART_MILLIS) {
            String what =
                    "the clock here, by which jobs start, is ahead of the database's by " + ahead + " ms: use NTP";
            LOG.log(Level.WARNING, what);
        }
        clocksCompared = true;
    }

    /** Returns whether any has ended. What follows from that is seen when it is in the journal. */
    private boolean endRuns(Turn turn, long now, List<SqlWork> changes) {
        int before = changes.size();
        for (RunningJob run : turn.running) {
            Outcome outcome = run.outcome();
            if (outcome != null) {
                changes.add(table.end(run.run(), outcome.state(), now, outcome.note()));
            } else if (run.nanosLeft() <= 0) {
                run.timeOut();
            }
        }
        return changes.size() > before;
    }

    private void startRuns(Turn turn, long now, List<SqlWork> changes) {
        CronJob job = turn.job;
        boolean free = turn.running.isEmpty() || job.overlap == Overlap.ALLOW;
        for (Run run : turn.open()) {
            boolean left = !run.at().nonce().equals(table.nonce()); // by a term that is over: nobody runs it any more
            boolean again = job.hasAttemptAfter(run) && (run.attempt() == 0 || !job.isTooLate(run.dueMillis(), now));
            if (left && run.state() == State.RUNNING) {
                String note = "attempt " + run.attempt() + " was abandoned by "
                        + run.at().node();
                changes.add(table.end(run, again ? State.DUE : State.ABANDONED, now, note));
                LOG.log(Level.WARNING, run + " was abandoned" + (again ? " and comes again" : ""));
            } else if (left && !again) {
                changes.add(table.end(run, State.FAILED, now, ""));
            } else if (run.state() == State.DUE && free && turn.retryAt(run) <= now) {
                changes.add(table.startAttempt(job.name, run.dueMillis(), run.attempt() + 1, now));
                free = job.overlap == Overlap.ALLOW;
            }
        }
        if (turn.startAfter(turn.rows.get(0).floor()) <= now) {
            startDue(turn, free, now, changes);
        }
    }

    private void startDue(Turn turn, boolean free, long now, List<SqlWork> changes) {
        CronJob job = turn.job;
        if (!free && job.overlap != Overlap.SKIP) {
            if (job.overlap == Overlap.INTERRUPT) {
                turn.running.forEach(run -> run.interrupt("the next due time came"));
            }
            return;
        }
        long due = turn.next(turn.rows.get(0).floor());
        long missed = 0;
        while (turn.startAfter(due) <= now && (job.missed != Missed.RUN_ALL || job.isTooLate(due, now))) {
            due = turn.next(due);
            missed++;
        }
        changes.add(table.useUp(job.name, due));
        if (!free) {
            LOG.log(Level.INFO, "job " + job.name + " is due and not run: its last run still goes on");
        } else if (job.isTooLate(due, now)) {
            missed++;
        } else {
            changes.add(table.add(job.name, due));
            changes.add(table.startAttempt(job.name, due, 1, now));
        }
        if (missed > 0) {
            String why = " due times, which are not run: nobody led, a run took too long, or a clock was set";
            LOG.log(Level.WARNING, "job " + job.name + " has missed " + missed + why);
        }
    }

    /** What is due and was not started waits for the end of a run, which wakes. A longer TTL means fewer looks, too. */
    private long untilNext(long now) {
        LongStream timeouts =
                turns.stream().flatMap(turn -> turn.running.stream()).mapToLong(RunningJob::nanosLeft);
        LongStream starts = turns.stream()
                .flatMap(Turn::starts)
                .filter(start -> start > now)
                .mapToLong(start -> TimeUnit.MILLISECONDS.toNanos(start - now));
        long look = Math.max(LOOK_NANOS, leadership.remaining().toNanos() / 2);
        return Math.max(1, LongStream.concat(timeouts, starts).reduce(look, Math::min));
    }
}
