package dev.tenure.patterns;

import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import dev.tenure.patterns.Cron.State;
import dev.tenure.patterns.CronTable.OpenRun;
import dev.tenure.spi.Host;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A run that goes on, on a thread of its own, until the journal knows how it has ended. */
final class RunningJob {
    private static final Logger LOG = System.getLogger("dev.tenure.patterns.cron");
    private static final long AGAIN_NANOS = 1_000_000_000;
    private static final long WAIT_NANOS = Long.MAX_VALUE / 4;

    private final CronJob job;
    private final OpenRun run;
    private final CronTable table;
    private final Leadership leadership;
    private final Host host;
    private final Host.Signal ended;
    private final long beganNanos;
    private Host.Work work = () -> {};
    private volatile boolean timedOut;
    private volatile @Nullable String interruptedBecause;
    private volatile long retryAt;

    RunningJob(CronJob job, OpenRun run, CronTable table, Leadership leadership, Host host) {
        this.job = job;
        this.run = run;
        this.table = table;
        this.leadership = leadership;
        this.host = host;
        this.ended = host.signal();
        this.beganNanos = host.nanos();
    }

    void begin(Runnable whenEnded) {
        work = host.perform("tenure-cron-" + job.name, () -> {
            try {
                record(outcome());
            } finally {
                ended.set();
                whenEnded.run();
            }
        });
    }

    private record Outcome(State state, String note) {}

    // User code may throw anything, and whatever it throws is how the run ended.
    private Outcome outcome() {
        try {
            job.body.run(new CronRun(job.name, run.due(), run.attempt(), leadership, table.fence()));
            return new Outcome(State.DONE, "");
        } catch (Throwable failure) {
            State state = timedOut ? State.TIMED_OUT : leadership.isActive() ? State.FAILED : State.ABANDONED;
            String why = interruptedBecause == null ? "" : "interrupted, for " + interruptedBecause + ": ";
            LOG.log(Level.WARNING, "attempt " + run.attempt() + " of " + run + " is " + state, failure);
            return new Outcome(state, Journal.cut(why + failure, CronTable.NOTE_MAX));
        } finally {
            Thread.interrupted(); // what follows is ours
        }
    }

    private void record(Outcome outcome) {
        boolean again = outcome.state != State.DONE
                && run.attempt() < job.attemptsMax
                && (interruptedBecause == null || outcome.state != State.FAILED);
        while (true) {
            try {
                long now = host.wallMillis();
                table.end(leadership, run, again ? State.DUE : outcome.state, now, outcome.note);
                retryAt = again ? now + job.retryMillis : 0;
                return;
            } catch (StaleTokenException over) {
                LOG.log(Level.WARNING, run + " ended after its term: " + over.getMessage());
                return;
            } catch (SQLException failure) {
                LOG.log(Level.WARNING, "the journal does not take the end of " + run, failure);
                if (!leadership.isActive() || interruptedWhileWaiting()) {
                    return;
                }
            }
        }
    }

    private boolean interruptedWhileWaiting() {
        try {
            host.signal().await(AGAIN_NANOS);
            return false;
        } catch (InterruptedException told) {
            return true;
        }
    }

    OpenRun run() {
        return run;
    }

    boolean hasEnded() {
        return ended.isSet();
    }

    void await() throws InterruptedException {
        ended.await(WAIT_NANOS);
    }

    /** When the next attempt is due, if there is to be one. */
    OptionalLong retryAt() {
        return retryAt == 0 ? OptionalLong.empty() : OptionalLong.of(retryAt);
    }

    /** Until it is to be interrupted; for ever if it never is, or has been. */
    long nanosLeft() {
        return job.timeout.isEmpty() || timedOut
                ? WAIT_NANOS
                : job.timeout.get().toNanos() - (host.nanos() - beganNanos);
    }

    void timeOut() {
        LOG.log(Level.WARNING, run + " takes longer than its job may, and is interrupted");
        timedOut = true;
        interrupt("its time was up");
    }

    void interrupt(String because) {
        if (interruptedBecause == null) {
            interruptedBecause = because;
            work.interrupt();
        }
    }
}
