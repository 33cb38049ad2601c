// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.world;

import dev.tenure.simulator.check.GrantFact;
import dev.tenure.simulator.trace.FaultKind;

/** L5: nothing of a process that left in order stays in the store. */
final class LeftoverCheck {
    private LeftoverCheck() {}

    /** A process that has retired from an election holds nothing there, whatever became of its last requests. */
    static void checkRetired(SimulatedWorld world, SimulatedProcess process, int election) {
        // A listener that hung is told late. Meanwhile the store may have been restored, and an entry with it.
        boolean toldLate = world.plan().userCode.hangs() && world.plan().has(FaultKind.STORE_RESTORED);
        if (!toldLate && process.isAlive() && world.truth().isHolding(process.fact(), election)) {
            world.truth().violated("L5", process.fact() + " retired from e" + election + " but still holds it");
        }
    }

    static void check(SimulatedWorld world) {
        for (int election = 0; election < world.plan().elections; election++) {
            GrantFact standing = world.truth().standing(election);
            boolean hangs = world.plan().userCode.hangs(); // then it is not left, but lapses: its code may still run
            if (!hangs
                    && standing != null
                    && standing.session().isAlive()
                    && world.truth().leftInOrder(standing.session())) {
                world.truth().violated("L5", "e" + election + " is still held by " + standing + ", who left in order");
            }
        }
    }
}
