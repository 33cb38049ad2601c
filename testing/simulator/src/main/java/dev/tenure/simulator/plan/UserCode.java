// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.plan;

import dev.tenure.testing.SplitMix64;

/**
 * What the user code of a world is like. In most worlds it takes no time, but for what faults say. In some it is slow
 * everywhere, in many elections of each process, and in a few of these elections it hangs.
 */
public final class UserCode {
    /** So many worlds have one with user code that hangs: each of its callbacks needs a thread. */
    private static final int ONCE_IN = 16;

    private static final int ELECTIONS_MIN = 4;

    private final boolean hangs;
    private final int elections;
    private final int hung;

    private UserCode(boolean hangs, int elections, int hung) {
        this.hangs = hangs;
        this.elections = elections;
        this.hung = hung;
    }

    /** @param wanted user code that hangs, whatever the seed says */
    public static UserCode drawn(SplitMix64 random, boolean wanted) {
        boolean hangs = random.below(ONCE_IN) == 0 || wanted;
        return new UserCode(hangs, ELECTIONS_MIN + (int) random.below(4), 1 + (int) random.below(3));
    }

    /** Is it slow everywhere, and does it hang somewhere? Otherwise the rest says nothing. */
    public boolean hangs() {
        return hangs;
    }

    int elections() {
        return elections;
    }

    /** The first ones: they are stood in first, so what hangs there begins before all others. */
    public boolean hangsIn(int election) {
        return hangs && election < hung;
    }

    /** One for each election that hangs, one for a listener that does, and one for everything else. */
    public int callThreadsMax() {
        return hung + 2;
    }

    /** A {@code deactivate}, a loss listener and an interrupt of each election. */
    public int endThreadsMax() {
        return 3 * elections;
    }

    public CallbackDurations durations(int election, SplitMix64 random, CallbackDurations.Scale scale) {
        if (!hangs) {
            return CallbackDurations.prompt();
        }
        return hangsIn(election) && random.below(4) != 0
                ? CallbackDurations.hanging(random, scale)
                : CallbackDurations.slow(random, scale);
    }
}
