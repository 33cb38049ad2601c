// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.trace;

/** A time in which two nodes both believed to lead. */
public record Overlap(String role, Belief one, Belief other, long fromNanos, long toNanos) {
    public long nanos() {
        return toNanos - fromNanos;
    }
}
