// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

/**
 * A service that is switched on and off with leadership. No thread is kept while it is active. The three methods are
 * never called at the same time, and never on the engine's thread.
 */
public interface ActivePassive {
    /** Called once, before this process first stands. */
    default void warmUp() throws Exception {}

    /** The term begins. Returns when the service is running; an exception ends the term as {@link Loss.DutyFailed}. */
    void activate(Leadership leadership) throws Exception;

    /** The term ends. The claim is kept until this returns, as long as renewals succeed. */
    void deactivate(Loss loss) throws Exception;
}
