// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

/**
 * Under which conditions exclusion in time is promised at all.
 *
 * @param clocksWithinBound no clock of a node runs faster or slower than is allowed for
 * @param tokensByRevision tokens come from the store's revision, which goes back with a restore; otherwise they are
 *     counted, and the store's clock lets them grow
 * @param wallClocksKeepPace no wall clock is set, stopped or runs on through a sleep, so none withdraws authority
 * @param renewalsAreWhole a renewal is worth the TTL that was granted first, so a drain budget that fits once always does
 */
public record Assumptions(
        boolean clocksWithinBound, boolean tokensByRevision, boolean wallClocksKeepPace, boolean renewalsAreWhole) {}
