package dev.tenure.patterns;

import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import dev.tenure.Tenure;
import dev.tenure.patterns.Cron.Missed;
import dev.tenure.patterns.Cron.Overlap;
import dev.tenure.patterns.Cron.State;
import dev.tenure.patterns.CronTable.JobRow;
import dev.tenure.patterns.CronTable.OpenRun;
import dev.tenure.spi.Host;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One term: waits until something is due, starts it, and ends when the term and all its runs have ended. */
final class CronTerm {
    private static final Logger LOG = System.getLogger("dev.tenure.patterns.cron");
    private static final long AGAIN_NANOS = 1_000_000_000;
    private static final long CLOCKS_APART_MILLIS = 1_000;
    private static final long DAY_MILLIS = 86_400_000;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Host host;
    private final String node;
    private final CronTable table;
    private final Settings settings;
    private final Leadership leadership;
    private final Map<String, Turn> turns = new LinkedHashMap<>();
    private volatile Host.Signal wake;
    private volatile boolean renewed = true;
    private long lookedNanos;
    private long forgottenMillis;
    private boolean clocksCompared;
    /** A write has failed: the journal may have runs of this term that were not begun. */
    private boolean inDoubt;

    /** @param shared whether all jobs of the journal are led together */
    record Settings(long lookNanos, long keepMillis, boolean shared) {}

    CronTerm(Tenure tenure, CronTable table, List<CronJob> jobs, Settings settings, Leadership leadership) {
        this.host = tenure.host();
        this.node = Journal.cut(tenure.node(), 400);
        this.table = table;
        this.settings = settings;
        this.leadership = leadership;
        this.wake = host.signal();
        jobs.forEach(job -> turns.put(job.name, new Turn(job)));
    }

    /** A job in this term: what the journal says of it, and its runs. */
    private static final class Turn {
        private final CronJob job;
        private long floor;
        private long pausedUntil;
        private long runNow;
        private String runNowBy = "";
        private final List<RunningJob> running = new ArrayList<>();
        private final List<Retry> retries = new ArrayList<>();

        Turn(CronJob job) {
            this.job = job;
        }

        boolean isFree() {
            return running.isEmpty() || job.overlap == Overlap.ALLOW;
        }

        boolean runs(long due) {
            return running.stream().anyMatch(run -> run.run().due() == due);
        }

        boolean isPaused(long now) {
            return pausedUntil > now;
        }

        /** When it is to be started next by its schedule. */
        long nextStart() {
            return next(floor) + job.spreadMillis();
        }

        long next(long after) {
            return job.schedule.next(Instant.ofEpochMilli(after)).toEpochMilli();
        }

        boolean isDue(long now) {
            boolean again = running.isEmpty() && retries.stream().anyMatch(retry -> retry.at <= now);
            boolean asked = runNow != 0 && isFree();
            boolean waits = !isFree() && job.overlap == Overlap.WAIT;
            return again || asked || (!isPaused(now) && !waits && nextStart() <= now);
        }
    }

    private record Retry(long due, int attempt, long at) {}

    void perform() throws Exception {
        leadership.onLoss(loss -> wake.set());
        leadership.onRenewal(() -> {
            renewed = true;
            wake.set();
        });
        try {
            table.create();
            table.register(
                    leadership, turns.values().stream().map(turn -> turn.job).toList(), host.wallMillis());
            takeOver();
            look();
            while (leadership.isActive()) {
                wake = host.signal(); // before the look at what is due: a run that ends from here on is seen, or wakes
                wake.await(pass());
            }
        } finally {
            drain();
        }
    }

    /** What other terms have left open: nobody runs it any more. */
    private void takeOver() throws SQLException, StaleTokenException {
        long now = host.wallMillis();
        for (OpenRun run : table.openRuns()) {
            Turn turn = turns.get(run.job());
            if (turn == null && !settings.shared) {
                continue;
            }
            boolean abandoned = run.state() == State.RUNNING;
            boolean again = turn != null && run.attempt() < turn.job.attemptsMax && !turn.job.isTooLate(run.due(), now);
            if (abandoned || !again) {
                State state = again ? State.DUE : abandoned ? State.ABANDONED : State.FAILED;
                String note = "attempt " + run.attempt() + " was abandoned by "
                        + run.trace().node();
                table.end(leadership, run, state, now, abandoned ? Journal.cut(note, CronTable.NOTE_MAX) : "");
                LOG.log(Level.WARNING, run + ": " + note + (again ? " and comes again" : " and does not come again"));
            }
            if (again && turn != null) {
                long ended = abandoned ? now : run.trace().ended();
                turn.retries.add(new Retry(run.due(), run.attempt() + 1, ended + turn.job.retryMillis));
            }
        }
    }

    /** Starts what is due. Returns how long there is nothing to do, in nanoseconds. */
    private long pass() throws StaleTokenException {
        try {
            harvest();
            if (inDoubt) {
                beginUnbegun();
            }
            long now = host.wallMillis();
            boolean due = turns.values().stream().anyMatch(turn -> turn.isDue(now));
            boolean looks = host.nanos() - lookedNanos >= settings.lookNanos && renewed;
            if (due || looks) {
                look(); // also before a start, so that a pause counts at once
                for (Turn turn : turns.values()) {
                    serve(turn, host.wallMillis());
                }
                forgetOld(now);
            }
            return inDoubt ? AGAIN_NANOS : untilNext();
        } catch (SQLException failure) {
            LOG.log(Level.WARNING, "the journal of cron cannot be read or written: jobs start late", failure);
            inDoubt = true;
            return AGAIN_NANOS;
        }
    }

    private void beginUnbegun() throws SQLException {
        String nonce = leadership.term().nonce().toString();
        for (OpenRun run : table.openRuns()) {
            Turn turn = turns.get(run.job());
            if (turn != null && run.state() == State.RUNNING && run.nonce().equals(nonce) && !turn.runs(run.due())) {
                turn.retries.removeIf(retry -> retry.due == run.due());
                begin(turn, run);
            }
        }
        inDoubt = false;
    }

    private void look() throws SQLException {
        lookedNanos = host.nanos();
        renewed = false;
        for (JobRow row : table.look()) {
            Turn turn = turns.get(row.job());
            if (turn != null) {
                turn.floor = row.floor();
                turn.pausedUntil = row.pausedUntil();
                turn.runNow = row.runNow();
                turn.runNowBy = row.runNowBy();
            }
            compareClocks(row.databaseMillis());
        }
    }

    private void compareClocks(long databaseMillis) {
        long apart = host.wallMillis() - databaseMillis;
        if (!clocksCompared && Math.abs(apart) > CLOCKS_APART_MILLIS) {
            String where = Math.abs(apart) + " ms " + (apart > 0 ? "ahead of" : "behind");
            LOG.log(
                    Level.WARNING,
                    "this process's clock, by which jobs start, is " + where + " the database's: use NTP");
        }
        clocksCompared = true;
    }

    private void serve(Turn turn, long now) throws SQLException, StaleTokenException {
        for (Retry retry : List.copyOf(turn.retries)) {
            if (retry.at <= now && turn.running.isEmpty()) {
                start(turn, retry.due, retry.attempt, Optional.empty());
                turn.retries.remove(retry);
            }
        }
        if (turn.runNow != 0 && turn.isFree()) {
            start(turn, turn.runNow, 1, Optional.of(turn.runNowBy));
            turn.runNow = 0;
        }
        while (!turn.isPaused(now) && turn.nextStart() <= now && serveDue(turn, now)) {}
    }

    /** The job is due. Returns whether to look for more due times at once. */
    private boolean serveDue(Turn turn, long now) throws SQLException, StaleTokenException {
        CronJob job = turn.job;
        if (!turn.isFree() && job.overlap != Overlap.SKIP) {
            if (job.overlap == Overlap.INTERRUPT) {
                turn.running.forEach(run -> run.interrupt("the next due time came"));
            }
            return false;
        }
        long chosen = turn.next(turn.floor);
        long missed = 0;
        while (turn.next(chosen) + job.spreadMillis() <= now
                && (job.missed != Missed.RUN_ALL || job.isTooLate(chosen, now))) {
            chosen = turn.next(chosen);
            missed++;
        }
        if (!turn.isFree()) {
            table.skipTo(leadership, job.name, chosen);
            LOG.log(Level.INFO, "job " + job.name + " is due and not run: its last run still goes on");
        } else if (job.isTooLate(chosen, now)) {
            missed++;
            table.skipTo(leadership, job.name, chosen);
        } else {
            start(turn, chosen, 1, Optional.empty());
        }
        turn.floor = chosen;
        if (missed > 0) {
            String why = " due times, which are not run: nobody led, a run took too long, or a clock was set";
            LOG.log(Level.WARNING, "job " + job.name + " has missed " + missed + why);
        }
        return true;
    }

    private void start(Turn turn, long due, int attempt, Optional<String> askedBy)
            throws SQLException, StaleTokenException {
        String nonce = leadership.term().nonce().toString();
        CronTable.Trace trace = new CronTable.Trace(node, 0);
        OpenRun run = new OpenRun(turn.job.name, due, State.RUNNING, attempt, nonce, trace);
        if (table.start(leadership, run, host.wallMillis(), askedBy)) {
            begin(turn, run);
        } else {
            inDoubt = true;
        }
    }

    private void begin(Turn turn, OpenRun run) {
        RunningJob running = new RunningJob(turn.job, run, table, leadership, host);
        turn.running.add(running);
        running.begin(() -> wake.set());
    }

    /** Takes note of runs that have ended, and interrupts those whose time is up. */
    private void harvest() {
        for (Turn turn : turns.values()) {
            for (RunningJob run : List.copyOf(turn.running)) {
                if (run.hasEnded()) {
                    turn.running.remove(run);
                    OpenRun ended = run.run();
                    run.retryAt().ifPresent(at -> turn.retries.add(new Retry(ended.due(), ended.attempt() + 1, at)));
                } else if (run.nanosLeft() <= 0) {
                    run.timeOut();
                }
            }
        }
    }

    private void forgetOld(long now) throws SQLException, StaleTokenException {
        if (now - forgottenMillis >= DAY_MILLIS) {
            table.forget(leadership, now - settings.keepMillis);
            forgottenMillis = now;
        }
    }

    private long untilNext() {
        long now = host.wallMillis();
        long untilLook = settings.lookNanos - (host.nanos() - lookedNanos);
        long nanos = untilLook > 0 ? untilLook : settings.lookNanos; // a renewal wakes it if it comes first
        for (Turn turn : turns.values()) {
            for (RunningJob run : turn.running) {
                nanos = Math.min(nanos, run.nanosLeft());
            }
            boolean blocked = !turn.isFree() && turn.nextStart() <= now; // the end of the run wakes it
            long at = turn.isPaused(now) ? turn.pausedUntil : blocked ? Long.MAX_VALUE : turn.nextStart();
            for (Retry retry : turn.retries) {
                at = turn.running.isEmpty() ? Math.min(at, retry.at) : at;
            }
            if (at - now < nanos / NANOS_PER_MILLI) {
                nanos = Math.max(0, at - now) * NANOS_PER_MILLI;
            }
        }
        return Math.max(1, nanos);
    }

    /** As a duty is stopped: it is told, then interrupted, and waited for. */
    private void drain() {
        List<RunningJob> left = new ArrayList<>();
        turns.values().forEach(turn -> left.addAll(turn.running));
        boolean interrupted = false;
        for (RunningJob run : left) {
            while (!run.hasEnded()) {
                try {
                    run.await();
                } catch (InterruptedException told) {
                    interrupted = true;
                    left.forEach(each -> each.interrupt("the term has ended"));
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
