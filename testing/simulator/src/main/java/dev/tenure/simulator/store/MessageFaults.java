// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store;

import dev.tenure.simulator.trace.FaultCounts;
import dev.tenure.simulator.trace.FaultKind;
import dev.tenure.testing.SplitMix64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How the network treats single messages: which faults occur, how often, and how slow it is when all is well. */
public final class MessageFaults {
    private static final int PARTS = 1 << 16;

    private final SplitMix64 random;
    private final FaultCounts counts;
    private final FaultKind[] messageFaults;
    private final FaultKind[] noticeFaults;
    private final long latencyNanosMin;
    private final long latencyNanosSpread;
    private final long ttlNanos;
    private final int usualParts;
    private int messageParts;
    private int noticeParts;

    /** What a seed has drawn. */
    public record Probabilities(
            List<FaultKind> messageFaults,
            List<FaultKind> noticeFaults,
            double usualShare,
            long latencyNanosMin,
            long latencyNanosMax,
            long ttlNanos) {}

    public MessageFaults(Probabilities probabilities, SplitMix64 random, FaultCounts counts) {
        this.random = random;
        this.counts = counts;
        this.messageFaults = probabilities.messageFaults.toArray(new FaultKind[0]);
        this.noticeFaults = probabilities.noticeFaults.toArray(new FaultKind[0]);
        this.latencyNanosMin = probabilities.latencyNanosMin;
        this.latencyNanosSpread = Math.max(1, probabilities.latencyNanosMax - probabilities.latencyNanosMin);
        this.ttlNanos = probabilities.ttlNanos;
        this.usualParts = (int) (probabilities.usualShare * PARTS);
        clear();
    }

    /** From now on this share of all messages suffers. */
    public void storm(double share) {
        messageParts = messageFaults.length == 0 ? 0 : (int) (share * PARTS);
    }

    /** Back to what is usual for this seed. */
    public void usual() {
        messageParts = messageFaults.length == 0 ? 0 : usualParts;
        noticeParts = noticeFaults.length == 0 ? 0 : PARTS / 4;
    }

    /** No faults at all. */
    public final void clear() {
        messageParts = 0;
        noticeParts = 0;
    }

    long latencyNanos() {
        return latencyNanosMin + random.below(latencyNanosSpread);
    }

    /** From a millisecond to this many TTLs, each order of magnitude equally likely. */
    long delayNanos(int ttlsMax) {
        return logUniform(1_000_000, ttlsMax * ttlNanos);
    }

    private long logUniform(long min, long max) {
        int doublings = 63 - Long.numberOfLeadingZeros(Math.max(2, max / min));
        long base = min << random.below(doublings + 1);
        return Math.min(max, base + random.below(base));
    }

    boolean coin() {
        return random.next() < 0;
    }

    @Nullable
    FaultKind messageFault() {
        return draw(messageFaults, messageParts);
    }

    @Nullable
    FaultKind noticeFault() {
        return draw(noticeFaults, noticeParts);
    }

    private @Nullable FaultKind draw(FaultKind[] kinds, int parts) {
        if (parts == 0) {
            return null;
        }
        long bits = random.next();
        if ((bits & (PARTS - 1)) >= parts) {
            return null;
        }
        FaultKind fault = kinds[(int) ((bits >>> 17) % kinds.length)];
        counts.add(fault);
        return fault;
    }
}
