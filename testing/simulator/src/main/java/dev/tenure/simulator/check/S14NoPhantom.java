// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

/** S14: who has authority is the very process that the claim was granted to, under a session that stood by then. */
final class S14NoPhantom extends Checker {
    S14NoPhantom(GroundTruth truth) {
        super("S14", truth);
    }

    @Override
    void activated(TermFact term) {
        if (term.grant.session.process != term.process.number) {
            violated(term.process + " leads with " + term.grant + ", which was granted to p"
                    + term.grant.session.process);
        }
        if (term.grant.orphan) {
            violated(term.process + " leads with " + term.grant + ", claimed after its session had ended");
        }
        if (term.grant.token != term.term.token().value()) {
            violated(term.process + " leads with token " + term.term.token() + " but was granted " + term.grant);
        }
    }
}
