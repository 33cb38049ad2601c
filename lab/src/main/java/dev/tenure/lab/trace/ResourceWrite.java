// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.trace;

/**
 * A write of a leader that reached the resource.
 *
 * @param stale has the resource seen a higher term before? One that checks terms refuses it; the lab's lets it pass, and says so
 */
public record ResourceWrite(long nanos, int node, long term, boolean stale) {}
