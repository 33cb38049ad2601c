// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms;

import java.util.Set;
import java.util.TreeSet;

/** Sets of node ids, which do not change. */
public final class Suspects {
    public static final Set<Integer> NONE = Set.of();

    private Suspects() {}

    public static Set<Integer> with(Set<Integer> set, int id) {
        Set<Integer> more = new TreeSet<>(set);
        more.add(id);
        return more;
    }

    public static Set<Integer> without(Set<Integer> set, int id) {
        Set<Integer> fewer = new TreeSet<>(set);
        fewer.remove(id);
        return fewer;
    }

    /** What remains suspected after this event of the failure detector; any other event changes nothing. */
    public static Set<Integer> after(Set<Integer> suspects, Event event) {
        if (event instanceof Event.Suspected gone) {
            return with(suspects, gone.peer());
        }
        if (event instanceof Event.Recovered back) {
            return without(suspects, back.peer());
        }
        return suspects;
    }
}
