// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import dev.tenure.Nonce;
import java.util.Arrays;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What is true of one process: one incarnation on one node. */
public final class ProcessFact {
    public final int number;
    public final String node;
    /** Its code runs: neither crashed nor suspended. A paused process counts as running: its clocks go on. */
    boolean gone;

    boolean suspended;
    /** How many of its terms are still asked for their authority. */
    int termsAsked;

    boolean closed;
    boolean halted;
    final long[] tokenSeenMax;
    final long[] tokenElectedMax;
    final @Nullable TermFact[] current;
    final @Nullable TermFact[] previous;
    final @Nullable Nonce[] latestClaim;
    /** Between its Elected and its Lost, as the event stream told it. */
    final long[] electedToken;

    final long[] watchedTokenMax;
    /** Its monotonic clock. */
    final LongSupplier clock;
    /** Until then its loop, its timers or its threads stood still or were late. */
    long disturbedUntilNanos = Long.MIN_VALUE;
    /** By election and group of callbacks. */
    final int[][] callbacksRunning;

    ProcessFact(int number, String node, LongSupplier clock, int elections) {
        this.number = number;
        this.node = node;
        this.clock = clock;
        this.callbacksRunning = new int[elections][Callback.Group.values().length];
        this.tokenSeenMax = new long[elections];
        this.tokenElectedMax = new long[elections];
        this.current = new TermFact[elections];
        this.previous = new TermFact[elections];
        this.latestClaim = new Nonce[elections];
        this.electedToken = new long[elections];
        this.watchedTokenMax = new long[elections];
        Arrays.fill(electedToken, 0);
    }

    public @Nullable TermFact current(int election) {
        return current[election];
    }

    /** Did its loop, its timers or its threads stand still or come late at this instant or later? */
    public boolean wasDisturbedSince(long nanos) {
        return disturbedUntilNanos >= nanos;
    }

    /** The token of the election that its listener was told of last and has not been told to have lost; 0 if there is none. */
    public long electedToken(int election) {
        return electedToken[election];
    }

    /** Does user code of this election run right now, in any call? */
    public boolean isIn(int election) {
        return Arrays.stream(callbacksRunning[election]).anyMatch(running -> running > 0);
    }

    @Override
    public String toString() {
        return "p" + number + " on " + node;
    }

    /**
     * The store lost its last writes, and so has this session again, perhaps without its claims. Renewals are acknowledged, and
     * only a look at a claim shows that it is gone.
     */
    void restored(SessionFact session) {
        for (TermFact term : current) {
            if (term != null && term.grant.session == session && !term.grant.stands) {
                term.grant.excusedUntilNanos = Long.MAX_VALUE;
            }
        }
    }
}
