// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import dev.tenure.OverduePolicy;

/** S10: a claim is given up only after the duty has ended, or after its budget where the user has chosen that. */
final class S10StopBeforeRelease extends Checker {
    S10StopBeforeRelease(GroundTruth truth) {
        super("S10", truth);
    }

    @Override
    void releasing(ProcessFact process, GrantFact grant) {
        TermFact term = grant.term;
        if (term == null || !term.running) {
            return;
        }
        boolean allowed = term.overdue == OverduePolicy.RELEASE && !term.leadership.isActive();
        if (!allowed) {
            violated(process + " releases " + term + " while its duty runs");
        }
    }

    @Override
    void leaving(ProcessFact process, GrantFact grant) {
        TermFact term = grant.term;
        boolean overAnyway = !grant.session.alive || truth.nowNanos() >= grant.session.goodUntilNanos;
        if (term != null && term.running && !overAnyway) {
            violated(process + " closes its session while the duty of " + term + " runs");
        }
    }
}
