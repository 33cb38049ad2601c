// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import dev.tenure.TenureEvent;

/**
 * S21: user code that keeps its own drain budget has ended when its authority ends with the deadline, and its drain is never
 * overdue, whatever the code of other elections of the same process does. Excused is a process whose loop, timers or threads
 * stood still or were late, and a term whose authority was withdrawn before its deadline.
 */
final class S21StoppedInTime extends Checker {
    private static final long NANOS_PER_MILLI = 1_000_000;

    S21StoppedInTime(GroundTruth truth) {
        super("S21", truth);
    }

    /** Asked at every sample of authority. */
    void check(TermFact term, boolean valid) {
        if (!term.keepsBudget || term.withdrawn) {
            return;
        }
        long nowNanos = term.process.clock.getAsLong();
        if (valid) {
            term.validUntilNanos = nowNanos + term.leadership.remaining().toNanos();
            checkBudget(term, nowNanos);
        } else if (nowNanos < term.validUntilNanos) {
            term.withdrawn = true;
        } else if (term.running) {
            late(term, "still runs " + millis(nowNanos - term.validUntilNanos) + " ms after its deadline");
        }
    }

    /** Where a renewal may be worth less than a whole TTL, a drain may begin with less than its budget. */
    private void checkBudget(TermFact term, long nowNanos) {
        boolean told = !term.leadership.isActive();
        if (told && !term.toldToStop && !truth.assumptions().renewalsAreWhole()) {
            term.keepsBudget = term.needsNanos < term.validUntilNanos - nowNanos;
        }
        term.toldToStop = told;
    }

    @Override
    void deactivated(TermFact term) {
        boolean judged = term.keepsBudget && !term.withdrawn && term.running;
        long lateNanos = term.process.clock.getAsLong() - term.validUntilNanos;
        if (judged && lateNanos > 0) {
            late(term, "has ended " + millis(lateNanos) + " ms after its deadline");
        }
    }

    @Override
    void onEvent(ProcessFact process, int election, TenureEvent event) {
        if (event instanceof TenureEvent.DrainOverdue overdue) {
            GrantFact grant = truth.grant(overdue.term());
            TermFact term = grant == null ? null : grant.term;
            if (term != null && term.keepsBudget) {
                late(term, "is overdue");
            }
        }
    }

    private void late(TermFact term, String how) {
        long excusedNanos = 2 * term.grant.session.ttlNanos;
        boolean excused = term.process.wasDisturbedSince(truth.nowNanos() - excusedNanos);
        if (!excused && !term.process.gone) {
            violated("the code of " + term + " keeps its budget, but " + how);
        }
        term.keepsBudget = false; // judged once
    }

    private static long millis(long nanos) {
        return nanos / NANOS_PER_MILLI;
    }
}
