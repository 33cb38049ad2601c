package dev.tenure.postgres.advisory;

import dev.tenure.ElectionName;
import dev.tenure.spi.ClaimRequest;
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
final class AwaitedElections {
    /** Who is not asked for again has gone elsewhere: with very many elections the poll takes its time. */
    private static final long NANOS_PER_ELECTION = 10_000_000;

    private final long ttlNanos;
    private final Map<ElectionName, Awaited> awaited = new LinkedHashMap<>();

    /** @param holder the lock of the connection that has it */
    private record Awaited(ClaimRequest request, OptionalLong holder, long askedNanos) {}

    AwaitedElections(long ttlNanos) {
        this.ttlNanos = ttlNanos;
    }

    void add(ClaimRequest request, OptionalLong holder, long nowNanos) {
        awaited.put(request.election(), new Awaited(request, holder, nowNanos));
    }

    /** Was it waited for? */
    boolean remove(ElectionName election) {
        return awaited.remove(election) != null;
    }

    /** One of each connection that has some, and all of which nobody is known to have them. */
    List<ElectionName> ofEachHolder() {
        Set<Long> holders = new HashSet<>();
        return awaited.values().stream()
                .filter(known -> known.holder.isEmpty() || holders.add(known.holder.getAsLong()))
                .map(known -> known.request.election())
                .toList();
    }

    /** Somebody else has it now. */
    void claimed(ElectionName election, long holder) {
        awaited.computeIfPresent(
                election, (name, known) -> new Awaited(known.request, OptionalLong.of(holder), known.askedNanos));
    }

    /** Those that this connection had. They are not waited for any more until they are claimed again. */
    List<ElectionName> takeThoseOf(long holder) {
        List<ElectionName> found = awaited.values().stream()
                .filter(known -> known.holder.equals(OptionalLong.of(holder)))
                .map(known -> known.request.election())
                .toList();
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
    LockWaiter.Target target(boolean free, long ownKey, long nowNanos) {
        long oldestNanos = nowNanos - 4 * ttlNanos - awaited.size() * NANOS_PER_ELECTION;
        awaited.values().removeIf(known -> known.askedNanos - oldestNanos < 0);
        if (free && awaited.size() == 1) {
            return new LockWaiter.Target.Turn(awaited.values().iterator().next().request);
        }
        Map<Long, Integer> counts = new HashMap<>();
        awaited.values().forEach(known -> known.holder.ifPresent(key -> counts.merge(key, 1, Integer::sum)));
        return new LockWaiter.Target.ConnectionEnd(counts.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse(ownKey));
    }
}
