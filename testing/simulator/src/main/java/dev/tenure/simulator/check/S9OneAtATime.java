// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import dev.tenure.simulator.check.Callback.Group;

/**
 * S9, of calls that take time: the three methods of a service never run at the same time, and neither do two loss listeners or
 * two raises of one election. So an election whose code hangs keeps at most one thread of each kind.
 */
final class S9OneAtATime extends Checker {
    S9OneAtATime(GroundTruth truth) {
        super("S9", truth);
    }

    @Override
    void entered(ProcessFact process, int election, Callback callback) {
        Group group = callback.group;
        int running = ++process.callbacksRunning[election][group.ordinal()];
        if (running > 1) {
            violated(process + " calls " + callback + " of e" + election + " while another call of " + group + " runs");
        }
    }

    @Override
    void left(ProcessFact process, int election, Callback callback) {
        process.callbacksRunning[election][callback.group.ordinal()]--;
    }
}
