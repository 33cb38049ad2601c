// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import dev.tenure.fence.sql.SqlWork;
import dev.tenure.patterns.Cron.Missed;
import dev.tenure.patterns.Cron.Overlap;
import dev.tenure.patterns.Cron.State;
import dev.tenure.patterns.CronJobs.Run;
import dev.tenure.patterns.CronTable.JobRow;
import dev.tenure.spi.Host;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One term. It looks at the journal, writes what follows from it, and looks again, until there is nothing to write. A run begins when a
 * look finds its row, so that it does not matter which of several writes has failed, or whether it has.
 */
final class CronTerm {
    private static final Logger LOG = System.getLogger("dev.tenure.patterns.cron");
    private static final String TIME_UP = "its time was up";
    private static final String TERM_OVER = "the term has ended";
    private static final long AGAIN_NANOS = 1_000_000_000;
    /** What operators ask for is noticed so late, and an idle leader asks the journal so often. */
    private static final long LOOK_NANOS = 30_000_000_000L;

    private static final long CLOCKS_APART_MILLIS = 1_000;

    private final Host host;
    private final CronTable table;
    private final Leadership leadership;
    private final List<Turn> turns;
    private volatile Host.Signal wake;
    private boolean interrupted;
    private boolean inTrouble;

    CronTerm(Host host, CronTable table, List<CronJob> jobs) {
        this.host = host;
        this.table = table;
        this.leadership = table.leadership();
        this.wake = host.signal();
        this.turns = jobs.stream().map(Turn::new).toList();
    }

    void perform() throws SQLException, StaleTokenException {
        leadership.onLoss(loss -> wake.set());
        table.register(turns.stream().map(turn -> turn.job).toList(), host.wallMillis());
        long databaseMillis = table.databaseMillis();
        long ahead = host.wallMillis() - databaseMillis;
        if (Math.abs(ahead) > CLOCKS_APART_MILLIS) {
            String what = "the clock here, by which jobs start, is ahead of the database's by ";
            LOG.log(Level.WARNING, what + ahead + " ms: use NTP");
        }
        try {
            while (leadership.isActive() || running().findAny().isPresent()) {
                await(pass());
            }
        } finally { // whatever was thrown: the term does not end under its runs
            interruptRuns();
            while (running().anyMatch(run -> run.ended == null)) {
                await(LOOK_NANOS);
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Stream<Running> running() {
        return turns.stream().flatMap(turn -> Stream.ofNullable(turn.running));
    }

    private void await(long nanos) {
        try {
            wake.await(nanos);
        } catch (InterruptedException told) {
            interrupted = true;
            interruptRuns();
        }
        wake = host.signal(); // first: a run that ends from here on, or the term, is seen or wakes
    }

    private void interruptRuns() {
        running().forEach(run -> run.interrupt(TERM_OVER));
    }

    /** Returns how long there is nothing to do, in nanoseconds. */
    private long pass() {
        try {
            while (true) {
                List<JobRow> rows = table.look();
                turns.forEach(turn -> turn.read(rows)); // also if the term ends just now: what was started begins
                long now = host.wallMillis();
                List<SqlWork> changes = new ArrayList<>();
                turns.forEach(turn -> turn.addChanges(now, changes));
                if (changes.isEmpty()) {
                    log(false, Level.INFO, "can be read and written again");
                    return untilNext(now);
                }
                table.write(changes);
            }
        } catch (SQLException | StaleTokenException failure) {
            log(true, Level.WARNING, "cannot be read or written, so jobs start late: " + failure);
            if (!leadership.isActive()) {
                turns.stream().filter(Turn::hasEnded).forEach(turn -> turn.running = null);
            }
            return AGAIN_NANOS;
        }
    }

    /** One line per change: an outage may last for hours. */
    private void log(boolean trouble, Level level, String what) {
        if (inTrouble != trouble) {
            inTrouble = trouble;
            LOG.log(level, "the journal '" + table.journal().name() + "' of cron " + what);
        }
    }

    /** What is due and was not started waits for the end of a run, which wakes. */
    private long untilNext(long now) {
        LongStream starts = turns.stream()
                .flatMapToLong(Turn::starts)
                .filter(start -> start > now)
                .map(start -> TimeUnit.MILLISECONDS.toNanos(start - now));
        LongStream timeouts = running().mapToLong(Running::nanosLeft);
        return Math.max(1, LongStream.concat(timeouts, starts).reduce(LOOK_NANOS, Math::min));
    }

    /** A job in this term, and what the last look has found of it. */
    private final class Turn {
        private final CronJob job;
        private final List<Run> open = new ArrayList<>();
        /** Their next attempt was written, or may have been, and has not begun. A row alone begins nothing: somebody may have edited it. */
        private final Set<Instant> starting = new HashSet<>();
        /** Nothing up to here is due any more. */
        private long floor;

        private @Nullable Running running;

        Turn(CronJob job) {
            this.job = job;
        }

        void read(List<JobRow> rows) {
            open.clear();
            floor = CronJobs.UNTIL_RESUMED.toEpochMilli(); // of a job whose row somebody has deleted
            for (JobRow row : rows) {
                if (row.job().equals(job.name)) {
                    floor = row.floor();
                    row.open().ifPresent(open::add);
                }
            }
            List<Run> ours = open.stream().filter(table::isOurs).toList();
            if (hasEnded() && ours.stream().noneMatch(this::runs)) {
                running = null;
            }
            for (Run run : ours) {
                if (running == null && leadership.isValid() && starting.remove(run.due())) {
                    running = new Running(job, run);
                }
            }
        }

        private boolean hasEnded() {
            return running != null && running.ended != null;
        }

        private boolean runs(Run run) {
            return running != null && running.run.due().equals(run.due()); // whatever the row says otherwise
        }

        private long next(long after) {
            return job.schedule.next(Instant.ofEpochMilli(after)).toEpochMilli();
        }

        /** When the due time after this one is to be started. */
        private long startAfter(long due) {
            return next(due) + job.spreadMillis();
        }

        /** Not in a pause, unless an operator has asked for the run. */
        private long retryAt(Run run) {
            long ended = run.at().ended().orElse(Instant.EPOCH).toEpochMilli();
            return run.attempt() == 0 ? 0 : Math.max(ended + job.retryMillis, floor);
        }

        private LongStream starts() {
            return LongStream.concat(
                    LongStream.of(startAfter(floor)), open.stream().mapToLong(this::retryAt));
        }

        void addChanges(long now, List<SqlWork> changes) {
            Running goesOn = running;
            State ended = goesOn == null ? null : goesOn.ended;
            if (goesOn != null && ended != null) { // what follows from it is seen when it is in the journal
                open.stream() // its row as it stands: somebody may have edited the attempt
                        .filter(run -> runs(run) && table.isOurs(run))
                        .forEach(run -> changes.add(table.end(run, ended, now, goesOn.note)));
                return;
            }
            if (goesOn != null && goesOn.nanosLeft() <= 0) {
                LOG.log(Level.WARNING, goesOn.run + " takes longer than its job may, and is interrupted");
                goesOn.interrupt(TIME_UP);
            }
            if (leadership.isActive()) {
                startRuns(now, changes);
            }
        }

        private void startRuns(long now, List<SqlWork> changes) {
            boolean free = running == null;
            for (Run run : open) {
                boolean isRunning = run.state() == State.RUNNING;
                boolean again =
                        job.hasAttemptAfter(run) && (run.attempt() == 0 || !job.isTooLate(run.dueMillis(), now));
                if (runs(run) || (isRunning && starting.contains(run.due()))) {
                    continue;
                }
                if (isRunning) { // by a term that is over, or by hand: nobody runs it
                    String by = "attempt " + run.attempt() + " was abandoned by "
                            + run.at().node();
                    changes.add(table.end(run, again ? State.DUE : State.ABANDONED, now, by));
                    LOG.log(Level.WARNING, run + " was abandoned" + (again ? " and comes again" : ""));
                } else if (!again) {
                    changes.add(table.end(run, State.FAILED, now, ""));
                } else if (free && retryAt(run) <= now) {
                    start(run.dueMillis(), run.attempt() + 1, now, changes);
                    free = false;
                }
            }
            if (startAfter(floor) <= now && (free || job.overlap == Overlap.SKIP)) {
                startDue(free, now, changes);
            }
        }

        private void start(long due, int attempt, long now, List<SqlWork> changes) {
            changes.add(table.startAttempt(job.name, due, attempt, now));
            starting.add(Instant.ofEpochMilli(due));
        }

        private void startDue(boolean free, long now, List<SqlWork> changes) {
            long due = next(floor);
            long missed = 0;
            while (startAfter(due) <= now && (job.missed != Missed.RUN_ALL || job.isTooLate(due, now))) {
                due = next(due);
                missed++;
            }
            changes.add(table.useUp(job.name, due));
            if (!free) {
                LOG.log(Level.INFO, "job " + job.name + " is due and not run: its last run still goes on");
            } else if (job.isTooLate(due, now)) {
                missed++;
            } else {
                changes.add(table.add(job.name, due));
                start(due, 1, now, changes);
            }
            if (missed > 0) {
                String why = " due times, which are not run: nobody led, a run took too long, or a clock was set";
                LOG.log(Level.WARNING, "job " + job.name + " has missed " + missed + why);
            }
        }
    }

    /** A run that goes on, on a thread of its own, or has ended and the journal may not know it yet. */
    private final class Running {
        private final CronJob job;
        private final Run run;
        private final long beganNanos = host.nanos();
        private final Host.Work work;
        private volatile @Nullable String interruptedBecause;
        private volatile String note = "";
        /** What has become of it: {@link State#DUE} if there is to be another attempt. */
        private volatile @Nullable State ended;

        Running(CronJob job, Run run) {
            this.job = job;
            this.run = run;
            work = host.runDuty("tenure-cron-" + job.name, () -> {
                ended = perform();
                wake.set();
            });
            if (interrupted) {
                interrupt(TERM_OVER);
            }
        }

        // User code may throw anything, and whatever it throws is how the run ended.
        private State perform() {
            try {
                job.body.run(new CronRun(job.name, run.due(), run.attempt(), leadership, table.fence()));
                return State.DONE;
            } catch (Throwable failure) {
                String because = interruptedBecause;
                State state = TIME_UP.equals(because)
                        ? State.TIMED_OUT
                        : leadership.isActive() ? State.FAILED : State.ABANDONED;
                LOG.log(Level.WARNING, run + " is " + state, failure);
                note = (because == null ? "" : "interrupted, for " + because + ": ") + failure;
                return job.hasAttemptAfter(run) ? State.DUE : state;
            }
        }

        /** Until it is to be interrupted; for ever if it never is, or has been. */
        long nanosLeft() {
            return job.timeout.isEmpty() || interruptedBecause != null
                    ? Long.MAX_VALUE
                    : job.timeout.get().toNanos() - (host.nanos() - beganNanos);
        }

        void interrupt(String because) {
            if (interruptedBecause == null) {
                interruptedBecause = because;
                work.interrupt();
            }
        }
    }
}
