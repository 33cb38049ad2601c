// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import dev.tenure.Term;

/** S7: after a raise no write of an older token is accepted, and no duty begins before its fence is raised. */
final class S7Seal extends Checker {
    private final long[] sealed;

    S7Seal(GroundTruth truth) {
        super("S7", truth);
        this.sealed = new long[truth.elections()];
    }

    @Override
    void raised(int election, Term term, boolean accepted) {
        if (accepted) {
            sealed[election] = Math.max(sealed[election], term.token().value());
        }
    }

    @Override
    void written(int election, Term term, boolean accepted) {
        if (accepted && term.token().value() < sealed[election]) {
            violated("e" + election + ": a write of token " + term.token()
                    + " was accepted after the fence was raised to " + sealed[election]);
        }
    }

    @Override
    void activated(TermFact term) {
        if (term.fenced && term.grant.token > sealed[term.election]) {
            violated("e" + term.election + ": the duty of " + term.grant + " begins, but its fence stands at "
                    + sealed[term.election]);
        }
    }
}
