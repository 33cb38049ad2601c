package dev.tenure.internal.loop;

import dev.tenure.Loss;

/** A term whose user code runs on the thread of a caller that waits for it. */
final class CallerAssignment extends Assignment {
    private final ExclusiveRun run;

    CallerAssignment(ExclusiveRun run, LiveLeadership leadership, Employer employer) {
        super(leadership, employer);
        this.run = run;
    }

    @Override
    void begin() {
        run.granted(this);
    }

    /** By the one thread that has taken it, or found that nobody will; without a lock. */
    void end(Loss result) {
        employer.ended(this, result);
    }

    @Override
    void interrupt() {
        run.interrupt(this);
    }
}
