// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

/**
 * S5: a candidate that has authority stands in the store at that instant, under its own nonce, and the store or a rival may
 * not yet end its session. Under the hypotheses of S4. A term whose claim a renewal reported as lost gets no later deadline.
 */
final class S5Containment extends Checker {
    private static final long NANOS_PER_MILLI = 1_000_000;

    S5Containment(GroundTruth truth) {
        super("S5", truth);
    }

    void check(TermFact term, long nowNanos) {
        GrantFact grant = term.grant;
        if (term.deadlineNanos() > term.lastDeadlineNanos) {
            violated("e" + term.election + ": " + grant + " got a later deadline after a renewal told that it is lost");
        }
        boolean contained = grant.stands && grant.session.alive && nowNanos < grant.goodUntilNanos();
        if (contained || !truth.assumptions().clocksWithinBound() || grant.isExcused(nowNanos)) {
            return;
        }
        String why = !grant.stands
                ? "the record does not carry it any more"
                : !grant.session.alive
                        ? "its session has ended"
                        : "it could have been ended for " + (nowNanos - grant.goodUntilNanos()) / NANOS_PER_MILLI
                                + " ms";
        violated("e" + term.election + ": " + grant + " has authority although " + why);
    }
}
