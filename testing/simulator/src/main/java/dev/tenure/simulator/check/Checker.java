// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import dev.tenure.TenureEvent;
import dev.tenure.Term;

/** Watches over one property. Every method is told of what has just happened; most checkers care for few of them. */
abstract class Checker {
    private final String property;
    final GroundTruth truth;

    Checker(String property, GroundTruth truth) {
        this.property = property;
        this.truth = truth;
    }

    final void violated(String message) {
        truth.violated(property, message);
    }

    /** The store has granted a claim that it had not granted before. */
    void granted(GrantFact grant) {}

    /** A record that carried this grant was changed by this process. */
    void overwritten(GrantFact grant, int by) {}

    /** A session was ended by this process, or by nobody. */
    void sessionEnded(SessionFact session, int by) {}

    /** This process sends a claim under this session of its own. */
    void claiming(ProcessFact process, int election, SessionFact session) {}

    /** This process sends what gives up this claim. */
    void releasing(ProcessFact process, GrantFact grant) {}

    /** This process sends what ends its session, and with it this claim. */
    void leaving(ProcessFact process, GrantFact grant) {}

    /** This process sends something that changes the store. */
    void writing(ProcessFact process) {}

    /** User code begins. */
    void activated(TermFact term) {}

    /** User code has ended. */
    void deactivated(TermFact term) {}

    /** A listener of this process is called, the one that keeps the book or another one. */
    void called(ProcessFact process, TenureEvent event) {}

    /** The client has told this. */
    void onEvent(ProcessFact process, int election, TenureEvent event) {}

    /** A resource has answered a raise. */
    void raised(int election, Term term, boolean accepted) {}

    /** A resource has answered a write. */
    void written(int election, Term term, boolean accepted) {}

    /** A call of user code begins. */
    void entered(ProcessFact process, int election, Callback callback) {}

    /** It has returned. */
    void left(ProcessFact process, int election, Callback callback) {}

    /** A watch of this process showed this token. */
    void watched(ProcessFact process, int election, long token) {}
}
