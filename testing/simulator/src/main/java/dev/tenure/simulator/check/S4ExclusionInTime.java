// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import java.util.List;

/**
 * S4: at no instant do two terms of one election both have authority, as long as clocks keep within the bound and the
 * store kept its word to both of them. A process that was wronged by the store is excused until its deadline of that time.
 */
final class S4ExclusionInTime extends Checker {
    S4ExclusionInTime(GroundTruth truth) {
        super("S4", truth);
    }

    /** Compares with those that were asked before it in the same round. */
    void check(TermFact term, List<TermFact> asked, int upTo, long nowNanos) {
        if (!truth.assumptions().clocksWithinBound()) {
            return;
        }
        for (int i = 0; i < upTo; i++) {
            TermFact other = asked.get(i);
            boolean both = other.valid && other.election == term.election && other.grant != term.grant;
            if (both && !term.grant.isExcused(nowNanos) && !other.grant.isExcused(nowNanos)) {
                violated("e" + term.election + ": " + term.grant + " and " + other.grant + " both have authority");
            }
        }
    }
}
