package dev.tenure.lab.fault;

import java.util.Set;
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
    }

    public boolean isRest() {
        return text.equals("*");
    }

    /** @param leader who leads now */
    public Set<Integer> resolve(int nodes, IntSupplier leader) {
        Set<Integer> ids = new TreeSet<>();
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
