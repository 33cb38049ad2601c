// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fakes;

import java.util.logging.Level;
import java.util.logging.Logger;

/** Tests that provoke trouble need not fill the screen with it. */
public final class Quiet {
    // Held here, because a logger that nobody holds is forgotten with its level.
    private static final Logger LOG = Logger.getLogger("dev.tenure");
    private static final Logger TRANSITIONS = Logger.getLogger("dev.tenure.transitions");

    private Quiet() {}

    public static void logs() {
        LOG.setLevel(Level.OFF);
        TRANSITIONS.setLevel(Level.OFF);
    }
}
