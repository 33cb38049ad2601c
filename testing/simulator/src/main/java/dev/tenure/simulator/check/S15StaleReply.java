// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import dev.tenure.TenureEvent;

/** S15: an answer to an attempt that is not the latest one elects nobody, and a lost session claims no more. */
final class S15StaleReply extends Checker {
    S15StaleReply(GroundTruth truth) {
        super("S15", truth);
    }

    @Override
    void claiming(ProcessFact process, int election, SessionFact session) {
        if (session.lost) {
            violated(process + " claims e" + election + " under a session that it lost");
        }
    }

    @Override
    void onEvent(ProcessFact process, int election, TenureEvent event) {
        if (event instanceof TenureEvent.Elected elected) {
            GrantFact grant = truth.grant(elected.term());
            if (grant != null && grant.proved && !grant.latest) {
                violated(process + " was elected in e" + election + " by an answer to an older claim: " + grant);
            }
        }
    }
}
