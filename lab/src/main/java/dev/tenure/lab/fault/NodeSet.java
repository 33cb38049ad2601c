// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.function.IntSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Some nodes, as people write them: {@code 3}, {@code 1,2}, {@code 3-7}, {@code leader}, and {@code *} for all others. */
public record NodeSet(String text) {
    private static final Pattern FORM =
            Pattern.compile("\\*|(leader|\\d{1,3}(-\\d{1,3})?)(,(leader|\\d{1,3}(-\\d{1,3})?))*");
    private static final Pattern RANGE = Pattern.compile("(\\d+)-(\\d+)");

    public NodeSet {
        if (!FORM.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' names no nodes: write 3, 1,2, 3-7, leader, or * for all others");
        }
        Matcher ranges = RANGE.matcher(text);
        while (ranges.find()) {
            if (Integer.parseInt(ranges.group(1)) > Integer.parseInt(ranges.group(2))) {
                throw new IllegalArgumentException("'" + ranges.group() + "' goes from high to low: write "
                        + ranges.group(2) + "-" + ranges.group(1));
            }
        }
    }

    /** As short as people would write it. */
    public static String shortest(SortedSet<Integer> ids) {
        StringJoiner parts = new StringJoiner(",");
        List<Integer> run = new ArrayList<>();
        for (int id : ids) {
            if (!run.isEmpty() && run.get(run.size() - 1) != id - 1) {
                parts.add(written(run));
                run.clear();
            }
            run.add(id);
        }
        return run.isEmpty() ? "" : parts.add(written(run)).toString();
    }

    private static String written(List<Integer> run) {
        int first = run.get(0);
        int last = run.get(run.size() - 1);
        if (first == last) {
            return Integer.toString(first);
        }
        return first + (run.size() == 2 ? "," : "-") + last;
    }

    /** The nodes that are sure to be in both, no matter which node leads. */
    Set<Integer> shared(NodeSet other, int nodes) {
        Set<Integer> both = new TreeSet<>(named(nodes));
        both.retainAll(other.named(nodes));
        return both;
    }

    private Set<Integer> named(int nodes) {
        Set<Integer> ids = isRest() ? new TreeSet<>() : resolve(nodes, () -> 0);
        ids.remove(0);
        return ids;
    }

    public boolean isRest() {
        return text.equals("*");
    }

    /** @param leader who leads now */
    public SortedSet<Integer> resolve(int nodes, IntSupplier leader) {
        SortedSet<Integer> ids = new TreeSet<>();
        if (isRest()) {
            addRange(ids, 1, nodes);
            return ids;
        }
        for (String part : text.split(",")) {
            Matcher range = RANGE.matcher(part);
            if (part.equals("leader")) {
                ids.add(leader.getAsInt());
            } else if (range.matches()) {
                addRange(ids, Integer.parseInt(range.group(1)), Integer.parseInt(range.group(2)));
            } else {
                ids.add(Integer.parseInt(part));
            }
        }
        return ids;
    }

    private static void addRange(Set<Integer> ids, int from, int to) {
        for (int id = from; id <= to; id++) {
            ids.add(id);
        }
    }

    /** @throws IllegalArgumentException if it names somebody who is not there */
    void check(int nodes) {
        for (int id : resolve(nodes, () -> 1)) {
            if (id < 1 || id > nodes) {
                throw new IllegalArgumentException("there is no node " + id + " among " + nodes);
            }
        }
    }

    @Override
    public String toString() {
        return text;
    }
}
