// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import dev.tenure.TenureEvent;

/** S13: nobody is elected before an answer of the store has proved that the record carries its nonce. */
final class S13UnknownIsNotSuccess extends Checker {
    S13UnknownIsNotSuccess(GroundTruth truth) {
        super("S13", truth);
    }

    @Override
    void onEvent(ProcessFact process, int election, TenureEvent event) {
        if (event instanceof TenureEvent.Elected elected) {
            GrantFact grant = truth.grant(elected.term());
            if (grant == null || !grant.proved) {
                violated(process + " was elected in e" + election + " with token "
                        + elected.term().token() + " before any answer proved it");
            }
        }
    }
}
