// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.world;

/** What the user's code fails with. */
final class SimulatedFailure extends Exception {
    private static final long serialVersionUID = 1L;

    SimulatedFailure(String what) {
        super("simulated: " + what, null, false, false);
    }
}
