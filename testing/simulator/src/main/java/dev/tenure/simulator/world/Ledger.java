package dev.tenure.simulator.world;

import dev.tenure.Fence;
import dev.tenure.FencingToken;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import dev.tenure.simulator.check.Book;
import dev.tenure.simulator.check.ProcessFact;
import dev.tenure.simulator.trace.Mark;
import dev.tenure.simulator.trace.Trace;
import dev.tenure.testing.InMemoryFence;
import java.util.Optional;

/** The resource of one election: it takes writes through a fence, and tells the book of every one. */
final class Ledger {
    private final int election;
    private final InMemoryFence fence;
    private final Book book;
    private final Trace trace;

    Ledger(int election, Book book, Trace trace) {
        this.election = election;
        this.fence = new InMemoryFence("ledger " + election);
        this.book = book;
        this.trace = trace;
    }

    /** The fence as this process reaches it. */
    Fence fenceOf(ProcessFact process, FenceTrouble trouble) {
        return term -> {
            trouble.strike();
            raise(process, term);
        };
    }

    /** What may go wrong before the resource is reached. */
    interface FenceTrouble {
        void strike() throws Exception;
    }

    private void raise(ProcessFact process, Term term) throws StaleTokenException {
        try {
            fence.raise(term);
            trace.add(Mark.RAISE, process.number, election, term.token().value(), 1);
            book.raised(election, term, true);
        } catch (StaleTokenException stale) {
            trace.add(Mark.RAISE, process.number, election, term.token().value(), 0, "refused");
            book.raised(election, term, false);
            book.refused(process, election, stale.seen().value());
            throw stale;
        }
    }

    /** One write arrives. The newer token, if it was refused. */
    Optional<FencingToken> write(ProcessFact process, Term term) {
        try {
            fence.write(term, () -> {});
            trace.add(Mark.WRITE, process.number, election, term.token().value(), 0);
            book.written(election, term, true);
            return Optional.empty();
        } catch (StaleTokenException stale) {
            trace.add(Mark.REFUSED, process.number, election, term.token().value(), 0);
            book.written(election, term, false);
            return Optional.of(stale.seen());
        }
    }
}
