// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import dev.tenure.TenureEvent;
import dev.tenure.Term;

/**
 * S9: for each process and election, what users are told is (Elected(τ) … Lost(τ))* with growing τ, and the calls of a
 * service alternate in the same way.
 */
final class S9CallbackGrammar extends Checker {
    S9CallbackGrammar(GroundTruth truth) {
        super("S9", truth);
    }

    @Override
    void onEvent(ProcessFact process, int election, TenureEvent event) {
        if (event instanceof TenureEvent.Elected elected) {
            elected(process, election, elected.term().token().value());
        } else if (event instanceof TenureEvent.Lost lost) {
            expect(process, election, lost.term(), "Lost");
            process.electedToken[election] = 0;
        } else if (event instanceof TenureEvent.DrainBegan began) {
            expect(process, election, began.term(), "DrainBegan");
        } else if (event instanceof TenureEvent.DrainOverdue overdue) {
            expect(process, election, overdue.term(), "DrainOverdue");
        } else if (event instanceof TenureEvent.Retired && process.electedToken[election] != 0) {
            violated(process + " retired from e" + election + " before token " + process.electedToken[election]
                    + " was lost");
        }
    }

    private void elected(ProcessFact process, int election, long token) {
        if (process.electedToken[election] != 0) {
            violated(process + " was elected in e" + election + " with token " + token + " before it lost "
                    + process.electedToken[election]);
        }
        if (token <= process.tokenElectedMax[election]) {
            violated(process + " was elected in e" + election + " with token " + token + " after "
                    + process.tokenElectedMax[election]);
        }
        process.electedToken[election] = token;
        process.tokenElectedMax[election] = token;
    }

    private void expect(ProcessFact process, int election, Term term, String told) {
        if (process.electedToken[election] != term.token().value()) {
            violated(process + " told " + told + " of token " + term.token() + " in e" + election + ", but leads "
                    + process.electedToken[election]);
        }
    }

    @Override
    void activated(TermFact term) {
        TermFact before = term.process.previous[term.election];
        if (before != null && before.running) {
            violated("the duty of " + term + " begins while that of " + before + " runs");
        }
    }

    @Override
    void deactivated(TermFact term) {
        if (!term.running) {
            violated("the duty of " + term + " was ended twice");
        }
    }
}
