// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime.term;

import dev.tenure.ActivePassive;
import dev.tenure.Duty;
import dev.tenure.ElectionName;
import dev.tenure.Loss;
import dev.tenure.StaleTokenException;
import dev.tenure.spi.Host;
import java.util.Optional;

/** User code in one term, as the loop sees it: begun, notified to stop, and at some time over. Never blocks the loop. */
public abstract class TermTask {
    public final LeadershipHandle leadership;

    TermTask(LeadershipHandle leadership) {
        this.leadership = leadership;
    }

    public abstract void begin();

    public void stop(Loss loss) {}

    /** Called off the loop. */
    public void interrupt() {}

    /** Nothing of it runs any more. Called once, without a lock. */
    final void end(Loss result) {
        leadership.owner.ended(leadership.term(), result);
    }

    /** What a term calls, and may fail. */
    interface Call {
        void run() throws Exception;
    }

    /** User code may throw anything, and whatever it throws is how it ended. */
    final Optional<Loss> failureOf(Call code) {
        try {
            code.run();
            return Optional.empty();
        } catch (Throwable failure) {
            // A refused token of another election is a failure like any other.
            ElectionName election = leadership.term().election();
            boolean fenced = failure instanceof StaleTokenException stale
                    && stale.refused().election().equals(election);
            return Optional.of(
                    fenced ? new Loss.Fenced(((StaleTokenException) failure).seen()) : new Loss.DutyFailed(failure));
        }
    }

    /** A duty on a thread of its own. It is stopped through its {@code Leadership}, and interrupted if that does not help. */
    static final class OfDuty extends TermTask {
        private final Duty duty;
        private Host.Work work = () -> {};

        OfDuty(Duty duty, LeadershipHandle leadership) {
            super(leadership);
            this.duty = duty;
        }

        @Override
        public void begin() {
            work = leadership.host.runDuty("tenure-duty-" + leadership.term().election(), () -> end(perform()));
        }

        private Loss perform() {
            // A loop that ended because its authority did has not completed anything: it must be able to stand again.
            return failureOf(() -> duty.perform(leadership))
                    .orElseGet(() -> leadership.isActive() ? new Loss.Completed() : new Loss.Expired());
        }

        @Override
        public void interrupt() {
            work.interrupt();
        }
    }

    /** A term whose user code runs on the thread of a caller that waits for it. */
    static final class OfCaller extends TermTask {
        private final ExclusiveRun run;

        OfCaller(ExclusiveRun run, LeadershipHandle leadership) {
            super(leadership);
            this.run = run;
        }

        @Override
        public void begin() {
            run.granted(this);
        }

        @Override
        public void interrupt() {
            run.interrupt(this);
        }
    }

    /** A service that is switched on and off: its calls follow each other, and none of them keeps a thread. */
    static final class OfService extends TermTask {
        private enum Switch {
            TURNING_ON,
            /** Notified to stop while it was still being switched on. */
            TURNING_BACK,
            ON,
            /** Switched off, or never on. */
            OFF
        }

        private final ActivePassive service;
        /** Moved by the loop and by the call of {@code activate}, so under this object's monitor. */
        private Switch at = Switch.TURNING_ON;

        private Optional<Loss> stopped = Optional.empty();

        OfService(ActivePassive service, LeadershipHandle leadership) {
            super(leadership);
            this.service = service;
        }

        @Override
        public void begin() {
            leadership.host.runCallback(this::switchOn);
        }

        private void switchOn() {
            // A busy executor may come to it when the term is over, or the client closed: then nothing is switched on.
            Optional<Loss> failure = leadership.isActive()
                    ? failureOf(() -> service.activate(leadership))
                    : Optional.of(new Loss.Expired());
            failure.ifPresent(this::end);
            Switch before;
            synchronized (this) {
                before = at;
                at = failure.isEmpty() && before == Switch.TURNING_ON ? Switch.ON : Switch.OFF;
            }
            if (failure.isEmpty() && before == Switch.TURNING_BACK) {
                deactivate(
                        stopped.orElseThrow()); // on this thread: the client may be closed, and its executors with it
            }
        }

        @Override
        public void stop(Loss loss) {
            boolean wasOn;
            synchronized (this) {
                wasOn = at == Switch.ON;
                if (wasOn) {
                    at = Switch.OFF;
                } else if (at == Switch.TURNING_ON) {
                    at = Switch.TURNING_BACK;
                    stopped = Optional.of(loss);
                }
            }
            if (wasOn) {
                leadership.host.runFinalCallback(() -> deactivate(loss));
            }
        }

        private void deactivate(Loss loss) {
            end(failureOf(() -> service.deactivate(loss)).orElse(loss));
        }
    }
}
