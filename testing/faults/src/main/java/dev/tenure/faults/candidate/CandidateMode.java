// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.candidate;

/** How a candidate behaves. All write recklessly, until they hear that they lost; they differ in what they believe. */
public enum CandidateMode {
    /** Believes what {@code isValid()} says. */
    HONEST,
    /** For the test of the checks: believes until it is told otherwise, as a client without a deadline of its own does. */
    WITHOUT_DEADLINE
}
