package dev.tenure.simulator.world;

import dev.tenure.ActivePassive;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.simulator.check.Callback;
import dev.tenure.simulator.check.TermFact;
import dev.tenure.simulator.trace.Fault;
import dev.tenure.testing.VirtualTime;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A service that writes to its ledger while it is on. The check and the write are two steps, as in every real program, so
 * that a pause can come between them.
 */
final class Service implements ActivePassive {
    private final Candidature candidature;
    private final World world;
    private final VirtualTime.Event due;
    private @Nullable TermFact term;
    private boolean checked;

    Service(Candidature candidature) {
        this.candidature = candidature;
        this.world = candidature.world();
        this.due = new VirtualTime.Event() {
            @Override
            protected void happen() {
                candidature.process().host().user(Service.this::step);
            }
        };
    }

    @Override
    public void warmUp() throws Exception {
        candidature.spend(Callback.WARM_UP);
    }

    @Override
    public void activate(Leadership leadership) throws Exception {
        term = candidature.begin(leadership);
        candidature.spend(Callback.ACTIVATE);
        checked = false;
        if (candidature.isFenced()) {
            stepIn(1_000_000);
        }
    }

    @Override
    public void deactivate(Loss loss) throws Exception {
        candidature.spend(Callback.DEACTIVATE);
        TermFact ended = term;
        if (ended != null) {
            term = null;
            due.cancel();
            candidature.end(ended);
        }
    }

    private void stepIn(long nanos) {
        if (!due.isScheduled()) {
            world.time().schedule(world.time().nanos() + nanos, due);
        }
    }

    private void step() {
        TermFact now = term;
        if (now == null) {
            return;
        }
        if (!checked) {
            checked = now.leadership().isValid();
            if (checked && world.strikes(Fault.PAUSE_BEFORE_WRITE, 40)) {
                candidature.process().pauseFor(world.lastingNanos(3));
            }
            stepIn(candidature.random().below(50_000_000));
        } else {
            checked = false;
            send(now);
            stepIn(candidature.process().ttlMillis() * 1_000_000 / 3);
        }
    }

    private void send(TermFact now) {
        long delayNanos = 1_000_000;
        if (world.strikes(Fault.WRITE_DELAYED, 10)) {
            delayNanos = world.lastingNanos(3);
        }
        Leadership leadership = now.leadership();
        world.time().at(world.time().nanos() + delayNanos, () -> {
            Optional<dev.tenure.FencingToken> newer = world.ledger(candidature.election())
                    .write(candidature.process().fact(), leadership.term());
            newer.ifPresent(seen -> candidature.process().host().user(() -> {
                world.book().refused(candidature.process().fact(), candidature.election(), seen.value());
                leadership.fenced(seen);
            }));
        });
    }
}
