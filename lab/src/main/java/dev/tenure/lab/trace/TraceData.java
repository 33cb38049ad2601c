// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.trace;

import dev.tenure.algorithms.Description;
import dev.tenure.lab.Experiment;
import dev.tenure.lab.fault.Fault;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A trace for programs, as maps and lists that any JSON writer can write. Everything that a space-time diagram needs is in it: lines
 * (nodes, their lives and pauses), arrows (messages with both ends), intervals (beliefs, overlaps), points (writes). Times are
 * milliseconds since the beginning.
 */
public final class TraceData {
    private static final double NANOS_PER_MILLI = 1e6;

    private TraceData() {}

    public static Map<String, Object> of(Experiment experiment, Trace trace) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("algorithm", experiment.config().algorithm().spelling());
        data.put("title", experiment.config().algorithm().description().title());
        data.put("about", about(experiment.config().algorithm().description()));
        data.put("nodes", experiment.nodes());
        data.put("ring", experiment.ring());
        data.put("seed", Long.toString(experiment.seed()));
        data.put("endMs", millis(trace.endNanos()));
        data.put("faults", experiment.faults().stream().map(Fault::toString).toList());
        data.put("summary", summary(trace));
        data.put("marks", trace.events().stream().map(TraceData::mark).toList());
        data.put(
                "messages",
                trace.messageTraces().stream().map(TraceData::message).toList());
        data.put("beliefs", trace.beliefs().stream().map(TraceData::belief).toList());
        data.put("overlaps", trace.overlaps().stream().map(TraceData::overlap).toList());
        data.put("writes", trace.writes().stream().map(TraceData::write).toList());
        return data;
    }

    private static List<String> about(Description description) {
        return List.of(
                "It assumes " + String.join("; ", description.assumes()) + ".",
                "It cannot promise " + String.join("; ", description.cannotPromise()) + ".");
    }

    private static Map<String, Object> summary(Trace trace) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("messages", trace.messages());
        data.put("signsOfLife", trace.background());
        data.put("firstLeaderMs", millis(trace.firstLeaderNanos()));
        data.put("agreedMs", millis(trace.settledNanos()));
        data.put(
                "leadersByTerm",
                trace.leadersByTerm().entrySet().stream()
                        .map(each -> Map.of("term", each.getKey().toString(), "leaders", List.copyOf(each.getValue())))
                        .toList());
        data.put("twoAtOnceMs", millis(trace.twoAtOnceNanos()));
        data.put("writes", trace.writes().size());
        data.put("staleWrites", trace.stale());
        return data;
    }

    private static Map<String, Object> mark(TraceEvent event) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("atMs", millis(event.nanos()));
        data.put("node", event.node());
        data.put("kind", event.kind().name().toLowerCase(Locale.ROOT));
        data.put("text", event.text());
        return data;
    }

    private static Map<String, Object> message(MessageTrace messageTrace) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("from", messageTrace.from());
        data.put("to", messageTrace.to());
        data.put("kind", messageTrace.message().getClass().getSimpleName());
        data.put("text", TraceText.text(messageTrace.message()));
        data.put("signOfLife", messageTrace.message().isBackground());
        data.put("sentMs", millis(messageTrace.sentNanos()));
        data.put("arrivedMs", millis(messageTrace.arrivedNanos()));
        data.put("lost", messageTrace.fate());
        return data;
    }

    private static Map<String, Object> belief(Belief belief) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("node", belief.node());
        data.put("role", belief.role());
        data.put("leader", belief.leader() == 0 ? Optional.empty() : belief.leader());
        data.put("term", Long.toString(belief.term()));
        data.put("fromMs", millis(belief.fromNanos()));
        data.put("toMs", millis(belief.toNanos()));
        return data;
    }

    private static Map<String, Object> overlap(Overlap overlap) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("role", overlap.role());
        data.put("nodes", List.of(overlap.one().node(), overlap.other().node()));
        data.put(
                "terms",
                List.of(
                        Long.toString(overlap.one().term()),
                        Long.toString(overlap.other().term())));
        data.put("fromMs", millis(overlap.fromNanos()));
        data.put("toMs", millis(overlap.toNanos()));
        return data;
    }

    private static Map<String, Object> write(ResourceWrite write) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("atMs", millis(write.nanos()));
        data.put("node", write.node());
        data.put("term", Long.toString(write.term()));
        data.put("stale", write.stale());
        return data;
    }

    private static double millis(long nanos) {
        return nanos / NANOS_PER_MILLI;
    }

    private static Optional<Double> millis(OptionalLong nanos) {
        return nanos.isPresent() ? Optional.of(millis(nanos.getAsLong())) : Optional.empty();
    }
}
