// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

/** What happens when a duty has not ended within its drain budget. */
public enum OverduePolicy {
    /** Go on renewing while the duty runs: rather no leader than two. Holds only as long as renewals succeed. */
    KEEP_CLAIM,
    /** Let go, and rely on the fence. */
    RELEASE,
    /** End the JVM when the drain budget has passed: the claim then lapses by itself. */
    HALT
}
