package dev.tenure.internal.loop;

import dev.tenure.Duty;
import dev.tenure.Loss;
import dev.tenure.spi.Host;

/** A duty on a thread of its own. It is stopped through its {@code Leadership}, and interrupted if that does not help. */
final class DutyAssignment extends Assignment {
    private final Duty duty;
    private final Host host;
    private Host.Work work = () -> {};

    DutyAssignment(Duty duty, Host host, LiveLeadership leadership, Employer employer) {
        super(leadership, employer);
        this.duty = duty;
        this.host = host;
    }

    @Override
    void begin() {
        work = host.perform("tenure-duty-" + leadership.term().election(), () -> employer.ended(this, run()));
    }

    // User code may throw anything, and whatever it throws is how the duty ended.
    private Loss run() {
        try {
            duty.perform(leadership);
            // A loop that ended because its authority did has not completed anything: it must be able to stand again.
            return leadership.isActive() ? new Loss.Completed() : new Loss.Expired();
        } catch (Throwable failure) {
            return Assignment.lossBy(failure, leadership.term().election());
        }
    }

    @Override
    void interrupt() {
        work.interrupt();
    }
}
