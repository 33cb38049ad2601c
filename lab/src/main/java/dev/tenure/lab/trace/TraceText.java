// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.trace;

import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Message;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** A trace for people: a line for each thing that happened, and a summary. */
public final class TraceText {
    private static final double NANOS_PER_MILLI = 1e6;

    private record Line(long nanos, int node, String text) {}

    private TraceText() {}

    /** Without signs of life, and without what disks wrote. */
    public static List<String> events(Trace trace) {
        List<Line> lines = new ArrayList<>();
        for (MessageTrace messageTrace : trace.messageTraces()) {
            if (!messageTrace.message().isBackground()) {
                lines.add(new Line(messageTrace.sentNanos(), messageTrace.from(), sent(messageTrace)));
            }
        }
        for (Belief belief : trace.beliefs()) {
            lines.add(new Line(belief.fromNanos(), belief.node(), believed(belief)));
        }
        for (TraceEvent event : trace.events()) {
            if (event.kind() != TraceEvent.Kind.PERSIST) {
                lines.add(new Line(event.nanos(), event.node(), marked(event)));
            }
        }
        for (ResourceWrite write : trace.writes()) {
            if (write.stale()) {
                lines.add(new Line(
                        write.nanos(),
                        write.node(),
                        "WRITES with term " + write.term()
                                + ", after a newer one: a resource that checks terms refuses it"));
            }
        }
        lines.sort(Comparator.comparingLong(Line::nanos));
        return lines.stream().map(TraceText::shown).toList();
    }

    private static String shown(Line line) {
        String who = line.node() == 0 ? "network" : "node " + line.node();
        return String.format(Locale.ROOT, "%9s  %-8s %s", millis(line.nanos()), who, line.text());
    }

    private static String sent(MessageTrace messageTrace) {
        OptionalLong arrived = messageTrace.arrivedNanos();
        String end = arrived.isPresent()
                ? ", arrives " + millis(arrived.getAsLong())
                : ", never arrives (" + messageTrace.fate() + ")";
        return "-> " + messageTrace.to() + "  " + text(messageTrace.message()) + end;
    }

    /** Records show their class and all their fields: without the brackets where there are none. */
    public static String text(Message message) {
        return message.toString().replace("[]", "");
    }

    private static String believed(Belief belief) {
        String role = belief.role().equals(Effect.LEADER) ? "" : belief.role() + ": ";
        String term = belief.term() == 0 ? "" : ", term " + belief.term();
        String until = " (until " + millis(belief.toNanos()) + ")";
        if (belief.leader() == 0) {
            return role + "knows no leader" + term;
        }
        return role + (belief.isOwn() ? "LEADS" + term + until : "follows " + belief.leader() + term);
    }

    private static String marked(TraceEvent event) {
        String verb = switch (event.kind()) {
            case START -> "starts";
            case CRASH -> "crashes";
            case PAUSE -> "pauses";
            case RESUME -> "resumes";
            case SUSPECT -> "suspects";
            case TRUST -> "trusts";
            case PERSIST -> "persists";
            case NETWORK -> "";
        };
        return (verb + " " + event.text()).strip();
    }

    public static List<String> summary(Trace trace) {
        List<String> lines = new ArrayList<>();
        lines.add("messages        " + trace.messages() + ", and " + trace.background()
                + (trace.background() == 1 ? " sign of life" : " signs of life"));
        lines.add("first leader    " + at(trace.firstLeaderNanos()));
        lines.add("all agreed      " + at(trace.settledNanos()));
        trace.leadersByTerm()
                .forEach((term, leaders) -> lines.add(
                        (term == 0 ? "leaders         " : String.format(Locale.ROOT, "term %-10d ", term)) + leaders));
        List<Overlap> overlaps = trace.overlaps();
        lines.add("two at once     " + (overlaps.isEmpty() ? "never" : total(trace)));
        overlaps.stream()
                .limit(10)
                .forEach(each ->
                        lines.add("                " + millis(each.fromNanos()) + " to " + millis(each.toNanos())
                                + ": nodes " + each.one().node() + " and "
                                + each.other().node()
                                + (each.one().term() == 0
                                        ? ""
                                        : ", terms " + each.one().term() + " and "
                                                + each.other().term())
                                + (each.role().equals(Effect.LEADER) ? "" : ", " + each.role())));
        lines.add("writes          " + written(trace));
        return lines;
    }

    private static String total(Trace trace) {
        int times = trace.overlaps().size();
        String lasting = millis(trace.twoAtOnceNanos());
        return times == 1 ? "once, " + lasting : times + " times, " + lasting + " in all";
    }

    private static String written(Trace trace) {
        boolean counted = trace.writes().stream().anyMatch(write -> write.term() > 0);
        return trace.writes().size()
                + (counted || trace.writes().isEmpty()
                        ? ", of these stale " + trace.stale()
                        : ", without a term: nobody can tell a stale one");
    }

    private static String at(OptionalLong nanos) {
        return nanos.isPresent() ? "at " + millis(nanos.getAsLong()) : "never";
    }

    public static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.1f ms", nanos / NANOS_PER_MILLI);
    }
}
