// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

/**
 * User code that runs while leading, on a thread of its own. When it returns, the work is complete and the candidacy
 * retires; when it throws, the candidacy stands again after a cool-down.
 */
@FunctionalInterface
public interface Duty {
    /**
     * Does the work of one term. It must stop soon after {@link Leadership#isActive()} has become false.
     *
     * @param leadership of this term; it cannot be used for another one
     * @throws Exception if the work failed: the candidacy stands again after a cool-down
     */
    void perform(Leadership leadership) throws Exception;
}
