// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.store;

/** What a fault strikes; what the docs promise depends on it. */
public enum FaultScope {
    /** The process that leads, or its way to the store. */
    CANDIDATE,
    /** Its way back from the store alone: what it sends takes effect, and it hears nothing of it. */
    ANSWERS,
    /** One server of several. */
    SERVER,
    /** All servers, or the clock that they judge by; the promise counts from when they are back. */
    STORE,
    /** What the store had written down: a session, a claim, everything. */
    RECORDS
}
