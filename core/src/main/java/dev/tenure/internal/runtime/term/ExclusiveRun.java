// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime.term;

import dev.tenure.Duty;
import dev.tenure.ElectionName;
import dev.tenure.Loss;
import dev.tenure.NotLeadingException;
import dev.tenure.StaleTokenException;
import dev.tenure.spi.DurationText;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/**
 * One call of {@code exclusively}, from its place in the local queue to the end of its body. The body runs on the caller's
 * thread, which the loop never waits for: the loop hands over a term, and the caller reports its end.
 *
 * <pre>
 * in \ event  first     granted        taken                   given up    body over       client closed  interrupt
 * Queued      Standing  –              –                       Over        –               Closed         –
 * Standing    –         Granted        –                       Over        –               Closed         –
 * Granted     –         –              Running | Standing ¹²   Over ²      –               Closed ²       –
 * Running     –         –              –                       –           Over, reported  same           interrupts
 * Over        –         ends the term  –                       –           –               same           –
 * Closed      –         ends the term  –                       Over        –               same           –
 *
 * ¹ Standing if the term is over already: the caller waits for another one   ² ends the term that was granted
 * </pre>
 */
public final class ExclusiveRun implements CandidacySpec.UserCode {
    private enum Stage {
        /** Other calls of this client are before it. */
        QUEUED,
        /** It stands in the election, or is about to. */
        STANDING,
        /** The loop has handed over a term, and the caller's thread has not taken it yet. */
        GRANTED,
        RUNNING,
        OVER,
        /** The client was closed while the caller waited. */
        CLOSED
    }

    private final ElectionName election;
    private final Host host;
    private final Thread caller = Thread.currentThread();
    private final Duration waitAtMost;
    private final long waitUntilNanos;
    /** Moved by the caller, by the loop and by the call before it, so under this object's monitor. */
    private Stage stage = Stage.QUEUED;
    /** That was granted, or in which the body runs. */
    private Optional<TermTask.OfCaller> held = Optional.empty();
    /** Whether the engine has set the thread's interrupt flag. */
    private boolean interrupted;

    /** What the caller waits for now: set when the stage has moved. */
    private Host.Signal moved;

    public ExclusiveRun(ElectionName election, Host host, Duration waitAtMost) {
        this.election = election;
        this.host = host;
        this.waitAtMost = waitAtMost;
        this.waitUntilNanos = host.nanos() + DurationText.nanos(waitAtMost);
        this.moved = host.signal();
    }

    @Override
    public TermTask task(LeadershipHandle leadership) {
        return new TermTask.OfCaller(this, leadership);
    }

    public ElectionName election() {
        return election;
    }

    public boolean isOf(Thread thread) {
        return caller == thread;
    }

    /** Nobody of this client is before it any more. */
    public synchronized void first() {
        if (stage == Stage.QUEUED) {
            move(Stage.STANDING);
        }
    }

    /** The client is closing: a call that waits is notified. A body that runs is notified by its term. */
    public void close() {
        Optional<TermTask.OfCaller> untaken = Optional.empty();
        synchronized (this) {
            if (stage != Stage.RUNNING && stage != Stage.OVER) {
                untaken = move(Stage.CLOSED);
            }
        }
        untaken.ifPresent(term -> term.end(new Loss.Closed()));
    }

    /** On the loop: a term begins. It ends at once if nobody waits for it any more: no term is held by nobody. */
    void granted(TermTask.OfCaller term) {
        boolean awaited;
        synchronized (this) {
            awaited = stage == Stage.STANDING;
            if (awaited) {
                move(Stage.GRANTED);
                held = Optional.of(term);
            }
        }
        if (!awaited) {
            term.end(new Loss.Closed());
        }
    }

    /**
     * Interrupts the body of this term, and nothing after it. A flag that is set already is somebody else's: it interrupts the
     * body as well, and it stays when the body is over.
     */
    synchronized void interrupt(TermTask.OfCaller term) {
        boolean runs = stage == Stage.RUNNING && held.filter(own -> own == term).isPresent();
        if (runs && !caller.isInterrupted()) {
            interrupted = true;
            caller.interrupt();
        }
    }

    /** Returns the term that was granted and not taken. The thread that moved ends it, without the monitor. */
    private synchronized Optional<TermTask.OfCaller> move(Stage next) {
        Optional<TermTask.OfCaller> untaken = stage == Stage.GRANTED ? held : Optional.empty();
        stage = next;
        moved.set();
        return untaken;
    }

    // ---- From here on all of it is for the caller's thread.

    public void awaitFirst() throws InterruptedException, TimeoutException {
        if (awaitPast(Stage.QUEUED, waitUntilNanos) == Stage.QUEUED) {
            throw notElected(": calls of this client that came earlier were not over in time");
        }
    }

    /** Keeps its place in the local queue meanwhile. */
    public void standBackUntil(long nanos) throws InterruptedException, TimeoutException {
        if (nanos - host.nanos() <= 0) {
            return;
        }
        boolean inTime = nanos - waitUntilNanos < 0;
        awaitPast(Stage.STANDING, inTime ? nanos : waitUntilNanos);
        if (!inTime) {
            throw notElected(": other processes were let go first");
        }
    }

    /** Nothing has moved, and there is still time. */
    public void requireWaiting(String forWhat) throws InterruptedException, TimeoutException {
        awaitPast(Stage.STANDING, host.nanos());
        if (host.nanos() - waitUntilNanos >= 0) {
            throw notElected(": " + forWhat);
        }
    }

    private TimeoutException notElected(String why) {
        return new TimeoutException("not elected in " + election + " within " + waitAtMost.toMillis() + " ms" + why);
    }

    /** Waits for a term and runs the body in it. */
    public void perform(Duty body) throws Exception {
        TermTask.OfCaller term = awaitTerm();
        LeadershipHandle leadership = term.leadership;
        Loss result = new Loss.Completed();
        boolean lost = false;
        try {
            body.perform(leadership);
        } catch (StaleTokenException stale) {
            result = stale.refused().election().equals(election) ? new Loss.Fenced(stale.seen()) : result;
            throw stale;
        } finally {
            lost = !leadership.isActive();
            bodyOver();
            term.end(lost && result instanceof Loss.Completed ? new Loss.Expired() : result);
        }
        if (lost) {
            throw new NotLeadingException("leadership of " + election + " was lost while the body ran");
        }
    }

    private TermTask.OfCaller awaitTerm() throws InterruptedException, TimeoutException {
        Optional<TermTask.OfCaller> term = Optional.empty();
        while (term.isEmpty()) {
            if (awaitPast(Stage.STANDING, waitUntilNanos) != Stage.GRANTED) {
                throw notElected("");
            }
            term = take();
        }
        return term.get();
    }

    /** Empty if the term is over already: a body does not begin in a term that was lost. */
    private Optional<TermTask.OfCaller> take() {
        TermTask.OfCaller term;
        boolean active;
        synchronized (this) {
            if (stage != Stage.GRANTED) {
                return Optional.empty();
            }
            term = held.orElseThrow();
            active = term.leadership.isActive();
            stage = active ? Stage.RUNNING : Stage.STANDING;
        }
        if (!active) {
            term.end(new Loss.Expired());
        }
        return active ? Optional.of(term) : Optional.empty();
    }

    /** From now on the engine does not touch this thread, and a flag that it has set does not stay behind. */
    private synchronized void bodyOver() {
        if (interrupted) {
            Thread.interrupted();
        }
        stage = Stage.OVER;
    }

    /** It leaves the queue: its body has run, or never will. */
    public void giveUp() {
        move(Stage.OVER).ifPresent(term -> term.end(new Loss.Closed()));
    }

    /**
     * Returns the stage when it is another one, or when the time has passed.
     *
     * @throws IllegalStateException if the client was closed
     */
    private Stage awaitPast(Stage present, long untilNanos) throws InterruptedException {
        boolean waits = true;
        while (true) {
            Host.Signal next;
            synchronized (this) {
                if (stage == Stage.CLOSED) {
                    throw new IllegalStateException("this client was closed while a call of exclusively waited for "
                            + election + "; the body did not run");
                }
                if (!waits || stage != present) {
                    return stage;
                }
                next = host.signal();
                moved = next;
            }
            waits = next.await(Math.max(0, untilNanos - host.nanos()));
        }
    }
}
