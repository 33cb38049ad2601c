package dev.tenure.patterns;

import dev.tenure.patterns.Cron.State;
import dev.tenure.patterns.CronJobs.Run;
import dev.tenure.spi.Host;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** A run that goes on, on a thread of its own, or has ended and the journal may not know it yet. */
final class RunningJob {
    private static final Logger LOG = System.getLogger("dev.tenure.patterns.cron");
    private static final String TIME_UP = "its time was up";

    private final CronJob job;
    private final Run run;
    private final Host host;
    private final long beganNanos;
    private Host.Work work = () -> {};
    private volatile @Nullable String interruptedBecause;
    private volatile @Nullable Outcome outcome;

    /** @param state {@link State#DUE} if there is to be another attempt */
    record Outcome(State state, String note) {}

    RunningJob(CronJob job, Run run, Host host) {
        this.job = job;
        this.run = run;
        this.host = host;
        this.beganNanos = host.nanos();
    }

    void begin(CronRun told, Runnable whenEnded) {
        work = host.perform("tenure-cron-" + job.name, () -> {
            outcome = perform(told);
            whenEnded.run();
        });
    }

    // User code may throw anything, and whatever it throws is how the run ended.
    private Outcome perform(CronRun told) {
        try {
            job.body.run(told);
            return new Outcome(State.DONE, "");
        } catch (Throwable failure) {
            String because = interruptedBecause;
            boolean active = told.leadership().isActive();
            State state = TIME_UP.equals(because) ? State.TIMED_OUT : active ? State.FAILED : State.ABANDONED;
            LOG.log(Level.WARNING, run + " is " + state, failure);
            boolean again = job.hasAttemptAfter(run) && (because == null || state != State.FAILED);
            String why = because == null ? "" : "interrupted, for " + because + ": ";
            return new Outcome(again ? State.DUE : state, why + failure);
        }
    }

    Run run() {
        return run;
    }

    /** Nothing while it goes on. */
    @Nullable
    Outcome outcome() {
        return outcome;
    }

    boolean hasEnded() {
        return outcome != null;
    }

    /** Until it is to be interrupted; for ever if it never is, or has been. */
    long nanosLeft() {
        return job.timeout.isEmpty() || interruptedBecause != null
                ? Long.MAX_VALUE
                : job.timeout.get().toNanos() - (host.nanos() - beganNanos);
    }

    void timeOut() {
        LOG.log(Level.WARNING, run + " takes longer than its job may, and is interrupted");
        interrupt(TIME_UP);
    }

    void interrupt(String because) {
        if (interruptedBecause == null) {
            interruptedBecause = because;
            work.interrupt();
        }
    }
}
