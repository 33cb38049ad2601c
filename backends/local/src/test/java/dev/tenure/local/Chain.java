// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What a compare-and-set promises, checked from the outside over everything that was acknowledged by anybody: every
 * version is made once, and followed by at most one other.
 */
final class Chain {
    /** The name of "no record" in a step. */
    static final String ABSENT = "-";

    private final Map<String, String> followedBy = new HashMap<>();
    private final Set<String> made = new HashSet<>();
    private int created;
    private int removed;

    synchronized void step(String from, String to) {
        if (from.equals(ABSENT)) {
            created++;
        } else {
            assertThat(followedBy.put(from, to))
                    .as("version %s was replaced twice", from)
                    .isNull();
        }
        if (to.equals(ABSENT)) {
            removed++;
        } else {
            assertThat(made.add(to)).as("version %s was made twice", to).isTrue();
        }
    }

    /** Nothing that was acknowledged was lost: what stands there at the end is what nobody has replaced. */
    synchronized void endsAt(String version) {
        Set<String> ends = new HashSet<>(made);
        ends.removeAll(followedBy.keySet());
        if (version.equals(ABSENT)) {
            assertThat(ends).isEmpty();
        } else {
            assertThat(ends).containsExactly(version);
        }
        assertThat(created - removed).isEqualTo(version.equals(ABSENT) ? 0 : 1);
    }

    synchronized int steps() {
        return made.size() + removed;
    }
}
