// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.candidate;

import dev.tenure.Leadership;
import dev.tenure.Loss;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** What this process believes about one term of its own, told to the ledger as it changes. */
final class BeliefReporter {
    /** Between two looks at the clock nobody may have slept, or the deadline would be told wrong. */
    private static final long LOOK_NANOS_MAX = 1_000_000;

    private static final long FOR_EVER_NANOS = 3_600_000_000_000L;
    static final long NONE = 0;

    private final Leadership leadership;
    private final LedgerClient ledger;
    private final CandidateMode mode;
    private final AtomicReference<Optional<Loss>> loss = new AtomicReference<>(Optional.empty());
    private final AtomicBoolean over = new AtomicBoolean();

    BeliefReporter(Leadership leadership, LedgerClient ledger, CandidateMode mode) {
        this.leadership = leadership;
        this.ledger = ledger;
        this.mode = mode;
    }

    void begin() throws IOException {
        long deadlineNanos = deadlineNanos();
        if (deadlineNanos == NONE) {
            over.set(true); // elected, and stopped until it was too late: it has never believed
        } else {
            ledger.begin(leadership.term(), System.nanoTime(), deadlineNanos);
        }
        leadership.onLoss(told -> loss.set(Optional.of(told)));
        leadership.onRenewal(this::renewed);
    }

    boolean knowsOfItsLoss() {
        return loss.get().isPresent();
    }

    private void renewed() {
        try {
            long deadlineNanos = deadlineNanos();
            if (deadlineNanos != NONE) {
                ledger.renewed(leadership.term(), deadlineNanos);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** When belief ends without another renewal; {@link #NONE} if it has ended, which is then told. */
    long look() throws IOException {
        long deadlineNanos = deadlineNanos();
        if (deadlineNanos == NONE) {
            end();
        }
        return deadlineNanos;
    }

    /** Before the duty returns, and so before anybody else can be elected in order. */
    void end() throws IOException {
        if (over.compareAndSet(false, true)) {
            ledger.end(leadership.term(), System.nanoTime());
        }
    }

    private long deadlineNanos() {
        if (mode == CandidateMode.WITHOUT_DEADLINE) {
            return knowsOfItsLoss() ? NONE : System.nanoTime() + FOR_EVER_NANOS;
        }
        while (true) {
            long beforeNanos = System.nanoTime();
            long leftNanos = leadership.remaining().toNanos();
            if (leftNanos == 0) {
                return NONE;
            }
            if (System.nanoTime() - beforeNanos < LOOK_NANOS_MAX) {
                return beforeNanos + leftNanos;
            }
        }
    }
}
