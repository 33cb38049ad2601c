package dev.tenure.internal.loop;

import dev.tenure.Duty;
import dev.tenure.Loss;
import dev.tenure.StaleTokenException;
import dev.tenure.spi.Host;
import java.util.function.Consumer;

/** A duty on a thread of its own. It is stopped through its {@code Leadership}, and interrupted if that does not help. */
final class DutyAssignment implements Assignment {
    private final Duty duty;
    private final Host host;
    private Host.Work work = () -> {};

    DutyAssignment(Duty duty, Host host) {
        this.duty = duty;
        this.host = host;
    }

    @Override
    public void begin(LiveLeadership leadership, Consumer<Loss> ended) {
        work = host.perform("tenure-duty-" + leadership.term().election(), () -> ended.accept(run(leadership)));
    }

    // User code may throw anything, and whatever it throws is how the duty ended.
    private Loss run(LiveLeadership leadership) {
        try {
            duty.perform(leadership);
            // A loop that ended because its authority did has not completed anything: it must be able to stand again.
            return leadership.isActive() ? new Loss.Completed() : new Loss.Expired();
        } catch (StaleTokenException stale) {
            return new Loss.Fenced(stale.seen());
        } catch (Throwable failure) {
            return new Loss.DutyFailed(failure);
        }
    }

    @Override
    public void stop(Loss loss) {}

    @Override
    public void interrupt() {
        work.interrupt();
    }
}
