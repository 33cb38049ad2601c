// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.fault;

import dev.tenure.spi.DurationText;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Faults as people write them:
 *
 * <pre>
 * crash 7@100ms                recover 7@2s               pause 3@1s..2s            slow-disk 3:200ms@1s..2s
 * partition 1,2|3-7@1s..3s     one-way 1&gt;2-7@1s..3s
 * fragile 3:20ms@1s..2s
 * lossy 1~2:30%@1s..3s         slow 1~2-7:200ms@1s..3s    flap 1~*:100ms@1s..3s
 * </pre>
 */
public final class FaultText {
    public static final List<String> KINDS = List.of(
            "crash", "recover", "pause", "slow-disk", "fragile", "partition", "one-way", "lossy", "slow", "flap");

    private static final Pattern FORM = Pattern.compile("([a-z-]+)\\s+(\\S+)@([^@\\s]+)");
    private static final Pattern WINDOW = Pattern.compile("([^.]+)\\.\\.([^.]+)");
    private static final Pattern LINK = Pattern.compile("([^~:]+)~([^~:]+):([^~:]+)");
    private static final int PERCENT_MAX = 100;

    private FaultText() {}

    /** @throws IllegalArgumentException with a sentence that says what is wrong */
    public static Fault parse(String text, int nodes) {
        Matcher form = FORM.matcher(text.strip());
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "'" + text.strip() + "' is not a fault: write for example crash 7@100ms");
        }
        if (!KINDS.contains(form.group(1))) {
            throw new IllegalArgumentException("'" + form.group(1) + "' is none of " + String.join(", ", KINDS));
        }
        Fault fault = parse(form.group(1), form.group(2), form.group(3));
        fault.sets().forEach(set -> set.check(nodes));
        checkApart(fault, nodes);
        return fault;
    }

    private static void checkApart(Fault fault, int nodes) {
        List<NodeSet> sets = fault.sets();
        boolean partition = fault instanceof Fault.Partition;
        if (partition && sets.stream().filter(NodeSet::isRest).count() > 1) {
            throw new IllegalArgumentException("'*' is all others, and can be only one side of a partition");
        }
        for (int i = 0; i < sets.size(); i++) {
            for (NodeSet other : sets.subList(i + 1, sets.size())) {
                Set<Integer> both = sets.get(i).shared(other, nodes);
                if (partition && !both.isEmpty()) {
                    throw new IllegalArgumentException(
                            "node " + both.iterator().next() + " stands on two sides of '" + fault + "'");
                }
                if (both.size() == 1 && sets.get(i).equals(other)) {
                    throw new IllegalArgumentException("'" + fault + "' names no link: there is none to oneself");
                }
            }
        }
    }

    private static Fault parse(String kind, String who, String when) {
        if (kind.equals("crash")) {
            return new Fault.Crash(new NodeSet(who), nanos(when));
        }
        if (kind.equals("recover")) {
            return new Fault.Recover(new NodeSet(who), nanos(when));
        }
        Matcher window = WINDOW.matcher(when);
        if (!window.matches()) {
            throw new IllegalArgumentException("'" + when + "' is not a time from..to: write for example 1s..3s");
        }
        long from = nanos(window.group(1));
        long to = nanos(window.group(2));
        if (to <= from) {
            throw new IllegalArgumentException("'" + when + "' ends before it begins");
        }
        return switch (kind) {
            case "pause" -> new Fault.Pause(new NodeSet(who), from, to);
            case "slow-disk", "fragile" -> ailing(kind, who, from, to);
            case "partition" -> new Fault.Partition(sides(who), from, to);
            case "one-way" -> oneWay(who, from, to);
            default -> link(kind, who, from, to);
        };
    }

    private static Fault ailing(String kind, String who, long from, long to) {
        String[] parts = who.split(":");
        if (parts.length != 2) {
            throw new IllegalArgumentException(kind + " says who and how long: 3:200ms, not '" + who + "'");
        }
        NodeSet nodes = new NodeSet(parts[0]);
        if (kind.equals("fragile") && nanos(parts[1]) == 0) {
            throw new IllegalArgumentException("who is fragile is back after 1ms or later");
        }
        return kind.equals("fragile")
                ? new Fault.Fragile(nodes, nanos(parts[1]), from, to)
                : new Fault.SlowDisk(nodes, nanos(parts[1]), from, to);
    }

    private static List<NodeSet> sides(String who) {
        List<NodeSet> sides = Stream.of(who.split("\\|")).map(NodeSet::new).toList();
        if (sides.size() < 2) {
            throw new IllegalArgumentException("a partition has sides: 1,2|3-7, not '" + who + "'");
        }
        return sides;
    }

    private static Fault oneWay(String who, long from, long to) {
        String[] ends = who.split(">");
        if (ends.length != 2) {
            throw new IllegalArgumentException("one-way is from some to others: 1>2-7, not '" + who + "'");
        }
        return new Fault.OneWay(new NodeSet(ends[0]), new NodeSet(ends[1]), from, to);
    }

    private static Fault link(String kind, String who, long from, long to) {
        Matcher link = LINK.matcher(who);
        if (!link.matches()) {
            throw new IllegalArgumentException(
                    kind + " names a link and how much: 1~2-7:30% or 1~2:200ms, not '" + who + "'");
        }
        NodeSet these = new NodeSet(link.group(1));
        NodeSet those = new NodeSet(link.group(2));
        return switch (kind) {
            case "lossy" -> new Fault.Lossy(these, those, percent(link.group(3)), from, to);
            case "slow" -> new Fault.Slow(these, those, nanos(link.group(3)), from, to);
            default -> flap(these, those, nanos(link.group(3)), from, to);
        };
    }

    private static Fault flap(NodeSet these, NodeSet those, long every, long from, long to) {
        if (every == 0) {
            throw new IllegalArgumentException("a link flaps every 1ms or slower");
        }
        return new Fault.Flap(these, those, every, from, to);
    }

    private static int percent(String text) {
        if (!text.matches("\\d{1,3}%") || Integer.parseInt(text.replace("%", "")) > PERCENT_MAX) {
            throw new IllegalArgumentException("'" + text + "' is not a share: write for example 30%");
        }
        return Integer.parseInt(text.replace("%", ""));
    }

    private static long nanos(String text) {
        return DurationText.parse("time", text).toNanos();
    }

    static String time(long nanos) {
        return DurationText.format(Duration.ofNanos(nanos));
    }

    static String window(long fromNanos, long toNanos) {
        return time(fromNanos) + ".." + time(toNanos);
    }
}
