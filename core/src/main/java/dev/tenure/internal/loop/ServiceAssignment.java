package dev.tenure.internal.loop;

import dev.tenure.ActivePassive;
import dev.tenure.Loss;
import dev.tenure.spi.Host;
import java.util.Optional;

/** A service that is switched on and off: its calls follow each other, and none of them keeps a thread. */
final class ServiceAssignment extends Assignment {
    private sealed interface Switch {
        record TurningOn() implements Switch {}

        /** Told to stop while it was still being switched on. */
        record TurningBack(Loss loss) implements Switch {}

        record On() implements Switch {}

        /** Switched off, or never on. */
        record Off() implements Switch {}
    }

    private static final Switch TURNING_ON = new Switch.TurningOn();
    private static final Switch ON = new Switch.On();
    private static final Switch OFF = new Switch.Off();

    private final ActivePassive service;
    private final Host host;
    /** Moved by the loop and by the call of {@code activate}, so under this object's monitor. */
    private Switch at = TURNING_ON;

    ServiceAssignment(ActivePassive service, Host host, LiveLeadership leadership, Employer employer) {
        super(leadership, employer);
        this.service = service;
        this.host = host;
    }

    @Override
    void begin() {
        host.call(this::switchOn);
    }

    private void switchOn() {
        // A busy executor may come to it when the term is over, or the client closed: then nothing is switched on.
        Optional<Loss> failure =
                leadership.isActive() ? failureOf(() -> service.activate(leadership)) : Optional.of(new Loss.Expired());
        failure.ifPresent(loss -> employer.ended(this, loss));
        Switch before = move(failure.isEmpty() ? ON : OFF);
        if (failure.isEmpty() && before instanceof Switch.TurningBack back) {
            move(OFF);
            deactivate(back.loss()); // on this thread: the client may be closed by now, and its executors with it
        }
    }

    @Override
    void stop(Loss loss) {
        boolean wasOn;
        synchronized (this) {
            wasOn = at instanceof Switch.On;
            if (at instanceof Switch.TurningOn) {
                at = new Switch.TurningBack(loss);
            }
        }
        if (wasOn) {
            switchOff(loss);
        }
    }

    private void switchOff(Loss loss) {
        move(OFF);
        host.end(() -> deactivate(loss));
    }

    private void deactivate(Loss loss) {
        employer.ended(this, failureOf(() -> service.deactivate(loss)).orElse(loss));
    }

    private synchronized Switch move(Switch next) {
        Switch before = at;
        at = next;
        return before;
    }

    private interface UserCode {
        void run() throws Exception;
    }

    private Optional<Loss> failureOf(UserCode code) {
        try {
            code.run();
            return Optional.empty();
        } catch (Throwable failure) {
            return Optional.of(Assignment.lossBy(failure, leadership.term().election()));
        }
    }
}
