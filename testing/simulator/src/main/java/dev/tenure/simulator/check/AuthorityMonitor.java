// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import dev.tenure.simulator.trace.TraceKind;
import dev.tenure.simulator.trace.WorldTrace;
import java.util.ArrayList;
import java.util.List;

/**
 * Every leadership that somebody could ask, and what it answers. Authority can appear only through an event at its own
 * process or in the store, and by itself only ever ends; so it is asked after those events, and when the time comes at which
 * it would have to be gone.
 */
final class AuthorityMonitor {
    private final WorldTrace trace;
    private final S4ExclusionInTime exclusion;
    private final S5Containment containment;
    private final S8NoResurrection resurrection;
    private final S21StoppedInTime stoppedInTime;
    private final List<TermFact> asked = new ArrayList<>();
    private boolean touched;
    private long mustEndByNanos = Long.MAX_VALUE;

    AuthorityMonitor(GroundTruth truth, WorldTrace trace, S21StoppedInTime stoppedInTime) {
        this.stoppedInTime = stoppedInTime;
        this.trace = trace;
        this.exclusion = new S4ExclusionInTime(truth);
        this.containment = new S5Containment(truth);
        this.resurrection = new S8NoResurrection(truth);
    }

    void add(TermFact term) {
        asked.add(term);
        term.process.termsAsked++;
        touched = true;
    }

    /** Something has happened that may give or take authority. */
    void touch() {
        touched = true;
    }

    void revived(SessionFact session, int by) {
        resurrection.revived(session, by);
    }

    /** Time has come to this instant, and nothing else has happened. */
    void arrived(long nowNanos) {
        if (nowNanos >= mustEndByNanos) {
            sample(nowNanos);
        }
    }

    void happened(long nowNanos) {
        if (touched) {
            touched = false;
            sample(nowNanos);
        }
    }

    private void sample(long nowNanos) {
        mustEndByNanos = Long.MAX_VALUE;
        int size = asked.size();
        for (int i = 0; i < size; i++) {
            TermFact term = asked.get(i);
            ProcessFact process = term.process;
            if (process.gone || isLongPast(term)) {
                asked.remove(i);
                process.termsAsked--;
                i--;
                size--;
                continue;
            }
            boolean valid = !process.suspended && term.leadership.isValid();
            if (valid != term.valid) {
                term.valid = valid;
                term.ended |= !valid;
                trace.add(TraceKind.AUTHORITY, process.number, term.election, term.grant.token, valid ? 1 : 0, valid);
            }
            stoppedInTime.check(term, valid);
            if (valid) {
                resurrection.check(term);
                containment.check(term, nowNanos);
                exclusion.check(term, asked, i, nowNanos);
                mustEndByNanos = Math.min(mustEndByNanos, term.grant.goodUntilNanos());
            }
        }
    }

    /** Asked for two more terms after its own, in case it comes back to life. */
    private static boolean isLongPast(TermFact term) {
        return !term.running
                && term != term.process.current[term.election]
                && term != term.process.previous[term.election];
    }
}
