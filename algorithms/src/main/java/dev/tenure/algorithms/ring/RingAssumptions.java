// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.ring;

import java.util.List;

/** What all rings have in common. */
final class RingAssumptions {
    static final List<String> ASSUMES = List.of(
            "reliable links to the neighbours, which keep the order of messages",
            "nodes stop by crashing, and a failure detector that does not suspect the living",
            "everybody knows the ring, and its ids are unique",
            "without repair: nobody crashes for good, for a ring with a gap carries nothing");
    static final List<String> PROMISES =
            List.of("it ends, and the highest living id leads", "a node that comes back with a higher id takes over");
    static final List<String> CANNOT_PROMISE = List.of(
            "one leader under a partition: with repair each side closes a ring of its own; without, nobody elects anybody",
            "one leader when a node is slow: the ring is closed without it",
            "a number that grows with each leader, so a resource cannot tell the old one from the new one");

    private RingAssumptions() {}
}
