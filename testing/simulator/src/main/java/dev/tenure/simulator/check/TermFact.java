// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import dev.tenure.Leadership;
import dev.tenure.OverduePolicy;
import dev.tenure.Term;

/** A term that a process leads or has led, as its user sees it. */
public final class TermFact {
    final ProcessFact process;
    final int election;
    final Leadership leadership;
    final Term term;
    final GrantFact grant;
    final boolean fenced;
    final OverduePolicy overdue;
    /** The duty runs: it was begun and has not ended. */
    boolean running = true;
    /** The engine has said that the term is lost. */
    boolean lost;
    /** What the last sample said. */
    boolean valid;
    /** A sample has said that its authority was over. */
    boolean ended;
    /** Its code needs less time to stop than the budget that it was given. */
    boolean keepsBudget;
    /** So long its code needs to stop. */
    long needsNanos;
    /** A sample has said that it shall stop. */
    boolean toldToStop;
    /** Its authority ended before its deadline. */
    boolean withdrawn;
    /** Its deadline at the last sample, on the clock of its process. */
    long validUntilNanos = Long.MAX_VALUE;

    /** Its deadline when a renewal told that its claim is lost, on the clock of its process: no later one may follow. */
    long lastDeadlineNanos = Long.MAX_VALUE;

    /** How the candidacy stands. */
    public record Manner(boolean fenced, OverduePolicy overdue) {}

    TermFact(ProcessFact process, int election, Leadership leadership, GrantFact grant, Manner manner) {
        this.process = process;
        this.election = election;
        this.leadership = leadership;
        this.term = leadership.term();
        this.grant = grant;
        this.fenced = manner.fenced;
        this.overdue = manner.overdue;
    }

    long deadlineNanos() {
        return process.clock.getAsLong() + leadership.remaining().toNanos();
    }

    public Leadership leadership() {
        return leadership;
    }

    public GrantFact grant() {
        return grant;
    }

    public ProcessFact process() {
        return process;
    }

    public boolean isRunning() {
        return running;
    }

    @Override
    public String toString() {
        return grant + " of e" + election;
    }
}
