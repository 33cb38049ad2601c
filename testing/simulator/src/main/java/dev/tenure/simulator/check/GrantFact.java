// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import dev.tenure.Nonce;
import org.jspecify.annotations.Nullable;

/** One claim that a store has granted: a term that may be led. */
public final class GrantFact {
    final int election;
    final Nonce nonce;
    final long token;
    final SessionFact session;
    /** Was its session over when the claim was written? Then nobody has to wait for it. */
    final boolean orphan;

    final long grantedNanos;
    /** The first instant at which the claim may end by itself, where claims do so. */
    private long liveUntilNanos = Long.MAX_VALUE;
    /** Does the record carry it now? */
    boolean stands = true;
    /** Its holder has heard from the store that it has it. */
    boolean proved;
    /** Of the same nonce, made by the same claim. */
    @Nullable
    GrantFact before;

    long provedNanos;
    /** The highest token that its process had seen when that was proved. */
    long floorBefore;
    /** The highest token that a watch of its process had shown when that was proved. */
    long watchedBefore;
    /** It was the latest claim of its process when that was proved. */
    boolean latest;
    /** Until this instant its holder may believe although the store broke its word. */
    long excusedUntilNanos = Long.MIN_VALUE;

    @Nullable
    TermFact term;

    GrantFact(int election, Nonce nonce, long token, SessionFact session, long grantedNanos) {
        this.election = election;
        this.nonce = nonce;
        this.token = token;
        this.session = session;
        this.orphan = !session.alive;
        this.grantedNanos = grantedNanos;
    }

    void liveUntil(long nanos) {
        liveUntilNanos = nanos;
    }

    /** The first instant at which the store or a rival may end it. */
    long goodUntilNanos() {
        return Math.min(liveUntilNanos, session.goodUntilNanos);
    }

    boolean isExcused(long nanos) {
        return nanos < excusedUntilNanos || nanos < session.excusedUntilNanos;
    }

    public int election() {
        return election;
    }

    public long token() {
        return token;
    }

    public Nonce nonce() {
        return nonce;
    }

    public SessionFact session() {
        return session;
    }

    @Override
    public String toString() {
        return "token " + token + " (nonce " + nonce.toString().substring(0, 6) + ", p" + session.process + ")";
    }
}
