// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

/** Why a term ended, or why a candidacy retired: a closed set of reasons. */
public sealed interface Loss {
    /** The duty returned: its work is done. */
    record Completed() implements Loss {}

    /** Asked to step down, by this process or by an operator. */
    record Resigned(String why) implements Loss {}

    /** The candidacy or its client was closed. */
    record Closed() implements Loss {}

    /** No renewal was acknowledged in time, so the term had to end by its own clock. */
    record Expired() implements Loss {}

    /** The store said that the session is gone. */
    record SessionLost(String why) implements Loss {}

    /** The store shows another holder, or none, where this term should stand. */
    record Superseded(String by) implements Loss {}

    /** A resource refused this term's token because it has seen a newer one. */
    record Fenced(FencingToken seen) implements Loss {}

    /** The duty threw. */
    record DutyFailed(Throwable cause) implements Loss {}
}
