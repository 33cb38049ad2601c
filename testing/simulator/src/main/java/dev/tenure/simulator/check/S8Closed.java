// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import dev.tenure.TenureEvent;

/** S8, its other half: after close() has returned there is no duty, no event and no write any more. */
final class S8Closed extends Checker {
    S8Closed(GroundTruth truth) {
        super("S8", truth);
    }

    @Override
    void writing(ProcessFact process) {
        if (process.closed) {
            violated(process + " writes to the store although its client was closed");
        }
    }

    @Override
    void activated(TermFact term) {
        if (term.process.closed) {
            violated("the duty of " + term + " begins although its client was closed");
        }
    }

    @Override
    void called(ProcessFact process, TenureEvent event) {
        if (process.closed) {
            violated(process + " is told of something although its client was closed: " + event);
        }
    }
}
