package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import dev.tenure.spi.ClaimRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The elections that a session waits for, and whose connection has them; decides what the second connection waits for.
 * Loop-confined.
 */
final class Standby {
    /** Who is not asked for again has gone elsewhere: with very many elections the poll takes its time. */
    private static final long NANOS_PER_ELECTION = 10_000_000;

    private final long ttlNanos;
    private final Map<ElectionName, Awaited> awaited = new LinkedHashMap<>();

    private record Awaited(ClaimRequest request, OptionalLong line, long askedNanos) {}

    Standby(long ttlNanos) {
        this.ttlNanos = ttlNanos;
    }

    void add(ClaimRequest request, OptionalLong holdersLine, long nowNanos) {
        awaited.put(request.election(), new Awaited(request, holdersLine, nowNanos));
    }

    void remove(ElectionName election) {
        awaited.remove(election);
    }

    boolean contains(ElectionName election) {
        return awaited.containsKey(election);
    }

    /** One of each connection that has some, and all of which nobody is known to have them. */
    List<ElectionName> ofEachHolder() {
        Set<Long> lines = new HashSet<>();
        return awaited.values().stream()
                .filter(known -> known.line.isEmpty() || lines.add(known.line.getAsLong()))
                .map(known -> known.request.election())
                .toList();
    }

    /** Somebody else has it now. */
    void claimed(ElectionName election, long line) {
        awaited.computeIfPresent(
                election, (name, known) -> new Awaited(known.request, OptionalLong.of(line), known.askedNanos));
    }

    /** Those that were waited for on this line. They are not waited for any more until they are claimed again. */
    List<ElectionName> takeThoseOf(long line) {
        List<ElectionName> found = new ArrayList<>();
        awaited.forEach((election, known) -> {
            if (known.line.isPresent() && known.line.getAsLong() == line) {
                found.add(election);
            }
        });
        found.forEach(awaited::remove);
        return found;
    }

    List<ElectionName> takeAll() {
        List<ElectionName> all = List.copyOf(awaited.keySet());
        awaited.clear();
        return all;
    }

    /**
     * One election, and nothing held: in its queue, so that the connection that wins it becomes the session. Else the end of
     * the connection that has most of them, because that comes without a word. If there is none, the end of my own.
     *
     * @param free does this session hold nothing?
     */
    Aim aim(boolean free, long ownLine, long nowNanos) {
        long oldestNanos = nowNanos - 4 * ttlNanos - awaited.size() * NANOS_PER_ELECTION;
        awaited.values().removeIf(known -> known.askedNanos - oldestNanos < 0);
        if (free && awaited.size() == 1) {
            return new Aim.Turn(awaited.values().iterator().next().request);
        }
        Map<Long, Integer> counts = new HashMap<>();
        awaited.values().forEach(known -> known.line.ifPresent(line -> counts.merge(line, 1, Integer::sum)));
        return counts.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(most -> new Aim.End(most.getKey()))
                .orElseGet(() -> new Aim.End(ownLine));
    }
}
