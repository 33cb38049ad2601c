// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import dev.tenure.simulator.store.StoreHistory;

/** S11: nobody changes what belongs to a session that may still live. */
final class S11ConditionalMutation extends Checker {
    private static final long NANOS_PER_MILLI = 1_000_000;

    S11ConditionalMutation(GroundTruth truth) {
        super("S11", truth);
    }

    @Override
    void overwritten(GrantFact grant, int by) {
        SessionFact session = grant.session;
        boolean allowed = by == StoreHistory.NOBODY || by == session.process || !session.alive;
        if (!allowed && !grant.isExcused(truth.nowNanos())) {
            violated("p" + by + " took or vacated " + grant + " of e" + grant.election + " while its session lives");
        }
    }

    @Override
    void sessionEnded(SessionFact session, int by) {
        long early = session.goodUntilNanos - truth.nowNanos();
        boolean allowed = by == StoreHistory.NOBODY || by == session.process || !session.alive || early <= 0;
        if (!allowed && truth.assumptions().clocksWithinBound() && truth.nowNanos() >= session.excusedUntilNanos) {
            violated("p" + by + " evicted the session of p" + session.process + " " + early / NANOS_PER_MILLI
                    + " ms too early");
        }
    }
}
