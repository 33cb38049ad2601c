package dev.tenure.internal.loop;

import dev.tenure.ElectionName;
import dev.tenure.Loss;
import dev.tenure.StaleTokenException;

/** User code in one term, as the loop sees it: begun, told to stop, and at some time over. Never blocks the loop. */
abstract class Assignment {
    /** Who is told that user code has ended. */
    interface Employer {
        /** Called once, on any thread, when nothing of it runs any more. */
        void ended(Assignment over, Loss result);
    }

    /** What a failure of user code means to its term. A refused token of another election is a failure like any other. */
    static Loss lossBy(Throwable failure, ElectionName election) {
        return failure instanceof StaleTokenException stale
                        && stale.refused().election().equals(election)
                ? new Loss.Fenced(stale.seen())
                : new Loss.DutyFailed(failure);
    }

    final LiveLeadership leadership;
    final Employer employer;

    Assignment(LiveLeadership leadership, Employer employer) {
        this.leadership = leadership;
        this.employer = employer;
    }

    abstract void begin();

    void stop(Loss loss) {}

    /** Called off the loop. */
    void interrupt() {}
}
