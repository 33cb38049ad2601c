// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import dev.tenure.Loss;
import dev.tenure.Nonce;
import dev.tenure.Term;

/** What an election machine asks for. */
public sealed interface ElectionEffect {
    record AskAdmission() implements ElectionEffect {}

    record SendClaim(long attempt, Nonce nonce) implements ElectionEffect {}

    record SendRelease(long attempt, Nonce nonce) implements ElectionEffect {}

    record RaiseFences(long attempt, Term term) implements ElectionEffect {}

    /** The term begins. */
    record StartDuty(Term term) implements ElectionEffect {}

    record StopDuty(Loss loss, boolean interrupt) implements ElectionEffect {}

    /** The duty still runs, but from now on it may not write. Carried out before anything that follows. */
    record RevokeAuthority(Loss loss) implements ElectionEffect {}

    record InterruptDuty() implements ElectionEffect {}

    record ReportOverdue(Term term, Loss loss) implements ElectionEffect {}

    /** Nothing of the term runs any more. */
    record EndTerm(Term term, Loss loss) implements ElectionEffect {}

    /** Granted, but not led. */
    record Abandon(Term term, String why) implements ElectionEffect {}

    /** The granted token is not above the floor: the store has lost terms. */
    record ReportBelowFloor(Term term, long floor) implements ElectionEffect {}

    record Retire(Loss loss) implements ElectionEffect {}

    record Halt(String why) implements ElectionEffect {}
}
