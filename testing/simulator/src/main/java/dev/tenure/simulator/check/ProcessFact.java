package dev.tenure.simulator.check;

import dev.tenure.Nonce;
import java.util.Arrays;
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
    long closedNanos;
    boolean halted;
    final long[] tokenSeenMax;
    final long[] tokenElectedMax;
    final @Nullable TermFact[] current;
    final @Nullable TermFact[] previous;
    final @Nullable Nonce[] latestClaim;
    /** Between its Elected and its Lost, as the event stream told it. */
    final long[] electedToken;

    final long[] watchedTokenMax;

    ProcessFact(int number, String node, int elections) {
        this.number = number;
        this.node = node;
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

    @Override
    public String toString() {
        return "p" + number + " on " + node;
    }
}
