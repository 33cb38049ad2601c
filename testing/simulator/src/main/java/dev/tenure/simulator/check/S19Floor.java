// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import dev.tenure.TenureEvent;

/** S19: nobody leads with a token at or below one that it had seen when it was granted. */
final class S19Floor extends Checker {
    S19Floor(GroundTruth truth) {
        super("S19", truth);
    }

    @Override
    void onEvent(ProcessFact process, int election, TenureEvent event) {
        if (event instanceof TenureEvent.Elected elected) {
            GrantFact grant = truth.grant(elected.term());
            if (grant != null && grant.token <= grant.floorBefore) {
                violated(process + " was elected in e" + election + " with token " + grant.token
                        + ", but had seen token " + grant.floorBefore);
            }
        }
    }
}
