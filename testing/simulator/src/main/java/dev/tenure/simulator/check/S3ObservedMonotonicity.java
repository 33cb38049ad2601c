// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import dev.tenure.TenureEvent;

/** S3: a process never reports a smaller token than one that it has reported or seen before. */
final class S3ObservedMonotonicity extends Checker {
    S3ObservedMonotonicity(GroundTruth truth) {
        super("S3", truth);
    }

    @Override
    void watched(ProcessFact process, int election, long token) {
        if (token < process.watchedTokenMax[election]) {
            violated(process + " watches e" + election + " and saw token " + token + " after "
                    + process.watchedTokenMax[election]);
        }
        process.watchedTokenMax[election] = Math.max(process.watchedTokenMax[election], token);
    }

    @Override
    void onEvent(ProcessFact process, int election, TenureEvent event) {
        GrantFact grant = event instanceof TenureEvent.Elected elected ? truth.grant(elected.term()) : null;
        // Listeners and watches are told independently of each other, so what counts is when the grant arrived.
        if (grant != null && grant.token < grant.watchedBefore) {
            violated(process + " was elected in e" + election + " with token " + grant.token
                    + " after its watch showed " + grant.watchedBefore);
        }
    }
}
