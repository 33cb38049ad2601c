// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.world;

import dev.tenure.Fence;
import dev.tenure.FencingToken;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import dev.tenure.simulator.check.GroundTruth;
import dev.tenure.simulator.check.ProcessFact;
import dev.tenure.simulator.trace.TraceKind;
import dev.tenure.simulator.trace.WorldTrace;
import dev.tenure.testing.InMemoryFence;
import java.util.Optional;

/** The resource of one election: it takes writes through a fence, and tells the book of every one. */
final class SimulatedLedger {
    private final int election;
    private final InMemoryFence fence;
    private final GroundTruth truth;
    private final WorldTrace trace;

    SimulatedLedger(int election, GroundTruth truth, WorldTrace trace) {
        this.election = election;
        this.fence = new InMemoryFence("ledger " + election);
        this.truth = truth;
        this.trace = trace;
    }

    /** The fence as this process reaches it. */
    Fence fenceOf(ProcessFact process, FenceFault trouble) {
        return term -> {
            trouble.inject();
            raise(process, term);
        };
    }

    /** What may go wrong before the resource is reached. */
    interface FenceFault {
        void inject() throws Exception;
    }

    private void raise(ProcessFact process, Term term) throws StaleTokenException {
        try {
            fence.raise(term);
            trace.add(TraceKind.RAISE, process.number, election, term.token().value(), 1);
            truth.raised(election, term, true);
        } catch (StaleTokenException stale) {
            trace.add(TraceKind.RAISE, process.number, election, term.token().value(), 0, "refused");
            truth.raised(election, term, false);
            truth.refused(process, election, stale.seen().value());
            throw stale;
        }
    }

    /** One write arrives. The newer token, if it was refused. */
    Optional<FencingToken> write(ProcessFact process, Term term) {
        try {
            fence.write(term, () -> {});
            trace.add(TraceKind.WRITE, process.number, election, term.token().value(), 0);
            truth.written(election, term, true);
            return Optional.empty();
        } catch (StaleTokenException stale) {
            trace.add(TraceKind.REFUSED, process.number, election, term.token().value(), 0);
            truth.written(election, term, false);
            return Optional.of(stale.seen());
        }
    }
}
