// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

/** S8: what was lost never comes back: no term of a lost session or a closed client has authority, no session lives twice. */
final class S8NoResurrection extends Checker {
    S8NoResurrection(GroundTruth truth) {
        super("S8", truth);
    }

    void check(TermFact term) {
        if (term.lost) {
            violated("e" + term.election + ": " + term.grant + " has authority although it was lost");
        } else if (term.grant.session.lost) {
            violated("e" + term.election + ": " + term.grant + " has authority although its session was lost");
        } else if (term.process.closed) {
            violated("e" + term.election + ": " + term.grant + " has authority although its client was closed");
        } else if (term.ended && truth.assumptions().wallClocksKeepPace()) {
            violated("e" + term.election + ": " + term.grant + " has authority again, after it had none");
        }
    }

    void revived(SessionFact session, int by) {
        violated("p" + by + " renewed the session of p" + session.process + " after it had ended");
    }
}
