// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.world;

import dev.tenure.ActivePassive;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.simulator.check.Callback;
import dev.tenure.simulator.check.TermFact;
import dev.tenure.simulator.trace.FaultKind;
import dev.tenure.testing.VirtualTime;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A service that writes to its ledger while it is on. The check and the write are two steps, as in every real program, so
 * that a pause can come between them.
 */
final class Service implements ActivePassive {
    private final SimulatedCandidacy candidacy;
    private final SimulatedWorld world;
    private final VirtualTime.Event due;
    private @Nullable TermFact term;
    private boolean checked;

    Service(SimulatedCandidacy candidacy) {
        this.candidacy = candidacy;
        this.world = candidacy.world();
        this.due = new VirtualTime.Event() {
            @Override
            protected void happen() {
                candidacy.process().host().user(Service.this::step);
            }
        };
    }

    @Override
    public void warmUp() throws Exception {
        candidacy.spend(Callback.WARM_UP);
    }

    @Override
    public void activate(Leadership leadership) throws Exception {
        term = candidacy.begin(leadership);
        candidacy.spend(Callback.ACTIVATE);
        checked = false;
        if (candidacy.isFenced()) {
            stepIn(1_000_000);
        }
    }

    @Override
    public void deactivate(Loss loss) throws Exception {
        candidacy.spend(Callback.DEACTIVATE);
        TermFact ended = term;
        if (ended != null) {
            term = null;
            due.cancel();
            candidacy.end(ended);
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
            if (checked && world.occurs(FaultKind.PAUSE_BEFORE_WRITE, 40)) {
                candidacy.process().pauseFor(world.lastingNanos(3));
            }
            stepIn(candidacy.random().below(50_000_000));
        } else {
            checked = false;
            send(now);
            stepIn(candidacy.process().ttlMillis() * 1_000_000 / 3);
        }
    }

    private void send(TermFact now) {
        long delayNanos = 1_000_000;
        if (world.occurs(FaultKind.WRITE_DELAYED, 10)) {
            delayNanos = world.lastingNanos(3);
        }
        Leadership leadership = now.leadership();
        world.time().at(world.time().nanos() + delayNanos, () -> {
            Optional<dev.tenure.FencingToken> newer =
                    world.ledger(candidacy.election()).write(candidacy.process().fact(), leadership.term());
            newer.ifPresent(seen -> candidacy.process().host().user(() -> {
                world.truth().refused(candidacy.process().fact(), candidacy.election(), seen.value());
                leadership.fenced(seen);
            }));
        });
    }
}
