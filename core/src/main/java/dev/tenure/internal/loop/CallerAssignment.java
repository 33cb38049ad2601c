package dev.tenure.internal.loop;

import dev.tenure.Loss;

/** A term whose user code runs on the thread of a caller that waits for it. */
final class CallerAssignment implements Assignment {
    private final ExclusiveRun run;
    private final LiveLeadership leadership;
    private final Employer employer;

    CallerAssignment(ExclusiveRun run, LiveLeadership leadership, Employer employer) {
        this.run = run;
        this.leadership = leadership;
        this.employer = employer;
    }

    @Override
    public LiveLeadership leadership() {
        return leadership;
    }

    @Override
    public void begin() {
        run.granted(this);
    }

    /** By the one thread that has taken it, or found that nobody will; without a lock. */
    void end(Loss result) {
        employer.ended(this, result);
    }

    @Override
    public void stop(Loss loss) {}

    @Override
    public void interrupt() {
        run.interrupt(this);
    }
}
