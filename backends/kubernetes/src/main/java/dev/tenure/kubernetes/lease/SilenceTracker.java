package dev.tenure.kubernetes.lease;

import dev.tenure.ElectionName;
import java.util.HashMap;
import java.util.Map;

/**
 * How long holders have been silent: since when, by this process' own monotonic clock, each Lease has had the version that it has. No clock of
 * another process counts. Loop-confined.
 */
public final class SilenceTracker {
    /** @param termVersion the version under which this holder was seen first */
    private record Seen(String version, long sinceNanos, String term, long termVersion) {
        long number() {
            return ElectionLease.versionNumber(version);
        }
    }

    private final Map<ElectionName, Seen> seen = new HashMap<>();

    /** Called with every Lease that was read. One that is older than what was seen before is no news. */
    public void saw(ElectionLease lease, long nowNanos) {
        if (lease.lease().isEmpty()) {
            seen.remove(lease.election());
            return;
        }
        String term = lease.holder() + "\n"
                + lease.note().map(note -> note.nonce().toString()).orElse("");
        long number = lease.number();
        Seen before = seen.get(lease.election());
        if (before == null || before.number() < number) {
            long termVersion = before != null && before.term.equals(term) ? before.termVersion : number;
            seen.put(lease.election(), new Seen(lease.version(), nowNanos, term, termVersion));
        }
    }

    /** Has a newer version been seen? */
    public boolean isOutdated(ElectionLease lease) {
        Seen last = seen.get(lease.election());
        return last != null && lease.lease().isPresent() && lease.number() < last.number();
    }

    /** Until when this very version has to stay before its holder counts as silent. */
    public long silentAtNanos(ElectionLease lease, long ttlNanos, long nowNanos) {
        Seen last = seen.get(lease.election());
        boolean known = last != null && last.version.equals(lease.version());
        return (last != null && known ? last.sinceNanos : nowNanos)
                + Math.max(lease.duration().toNanos(), ttlNanos);
    }

    /** The version under which the holder was seen first. */
    public long termVersion(ElectionLease lease) {
        Seen last = seen.get(lease.election());
        return last == null ? lease.number() : last.termVersion;
    }
}
