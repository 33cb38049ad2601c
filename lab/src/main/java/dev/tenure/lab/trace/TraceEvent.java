// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.trace;

/** Something that happened to a node, or to the network (node 0). */
public record TraceEvent(long nanos, int node, Kind kind, String text) {
    public enum Kind {
        START,
        CRASH,
        PAUSE,
        RESUME,
        NETWORK,
        SUSPECT,
        TRUST,
        PERSIST
    }
}
