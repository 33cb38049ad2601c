// SPDX-License-Identifier: Apache-2.0
package dev.tenure.testing;

import dev.tenure.ElectionName;
import dev.tenure.Fence;
import dev.tenure.FencingToken;
import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A fenced resource in memory: compares and writes in one step, and remembers which terms wrote and which were refused.
 * It belongs to the election whose term it sees first. Safe for any thread.
 */
public final class InMemoryFence implements Fence {
    private final String resource;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Term> accepted = new ArrayList<>();
    private final List<Term> refused = new ArrayList<>();
    private @Nullable Term newest;

    /** @param resource what messages call it */
    public InMemoryFence(String resource) {
        this.resource = resource;
    }

    @Override
    public void raise(Term term) throws StaleTokenException {
        lock.lock();
        try {
            Term seen = newest;
            if (seen != null && !isSameOrNewer(term, seen)) {
                throw new StaleTokenException(resource, term, seen.token());
            }
            newest = term;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Does the work if no newer term has been seen, and nobody can raise the fence before it is done. Work that throws
     * is not counted. A refusal also ends the term of this leadership.
     */
    public void write(Leadership leadership, Runnable work) throws StaleTokenException {
        try {
            write(leadership.term(), work);
        } catch (StaleTokenException stale) {
            leadership.fenced(stale.seen());
            throw stale;
        }
    }

    /** The same for a bare term: nobody is told of a refusal but the caller. */
    public void write(Term term, Runnable work) throws StaleTokenException {
        lock.lock();
        try {
            raise(term);
            work.run();
            accepted.add(term);
        } catch (StaleTokenException stale) {
            refused.add(term);
            throw stale;
        } finally {
            lock.unlock();
        }
    }

    /** The newest term that the fence has seen. */
    public Optional<Term> newest() {
        return locked(() -> Optional.ofNullable(newest));
    }

    /** The term of every accepted write, in order. */
    public List<Term> accepted() {
        return locked(() -> List.copyOf(accepted));
    }

    /** The term of every refused write, in order. */
    public List<Term> refused() {
        return locked(() -> List.copyOf(refused));
    }

    private boolean isSameOrNewer(Term term, Term seen) {
        ElectionName guarded = seen.election();
        if (!term.election().equals(guarded)) {
            throw new IllegalArgumentException(resource + " is fenced for election " + guarded + "; tokens of election "
                    + term.election() + " do not compare with its own");
        }
        FencingToken token = term.token();
        return token.isNewerThan(seen.token())
                || (token.equals(seen.token()) && term.nonce().equals(seen.nonce()));
    }

    private <T> T locked(Supplier<T> read) {
        lock.lock();
        try {
            return read.get();
        } finally {
            lock.unlock();
        }
    }
}
