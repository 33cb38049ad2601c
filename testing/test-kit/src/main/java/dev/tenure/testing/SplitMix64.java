// SPDX-License-Identifier: Apache-2.0
package dev.tenure.testing;

/** A seeded stream of random numbers: the same on every machine and every JDK, and fast. Not safe for threads. */
public final class SplitMix64 {
    private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

    private long state;

    public SplitMix64(long seed) {
        this.state = seed;
    }

    /** 64 uniformly random bits. */
    public long next() {
        state += GOLDEN_GAMMA;
        return mix(state);
    }

    /** Uniform in {@code 0 .. bound - 1}, up to a bias below bound / 2^63. */
    public long below(long bound) {
        if (bound <= 0) {
            throw new IllegalArgumentException("bound " + bound + " must be > 0");
        }
        return (next() >>> 1) % bound;
    }

    /** A stream of its own for one purpose, so that drawing more here does not change what is drawn there. */
    public SplitMix64 fork() {
        return new SplitMix64(next());
    }

    /** The finalizer on its own: spreads related inputs over all 64 bits. */
    public static long mix(long bits) {
        long mixed = (bits ^ (bits >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }
}
