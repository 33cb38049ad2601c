package dev.tenure.simulator.world;

/** What the user's code fails with. */
final class SimulatedTrouble extends Exception {
    private static final long serialVersionUID = 1L;

    SimulatedTrouble(String what) {
        super("simulated: " + what, null, false, false);
    }
}
