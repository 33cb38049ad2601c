package dev.tenure.kubernetes;

import dev.tenure.ElectionName;
import java.util.HashMap;
import java.util.Map;

/**
 * How long holders have been silent: since when, by this process' own monotonic clock, each Lease has had the version that it has. No clock of
 * another process counts. Loop-confined.
 */
final class SilenceTracker {
    /** @param termVersion the version under which this holder was seen first */
    private record Seen(long version, long sinceNanos, String term, long termVersion) {}

    private final Map<ElectionName, Seen> seen = new HashMap<>();

    /** Called with what a watch has shown. A version that is older than what was seen before is no news. */
    void observed(ElectionLease lease, long nowNanos) {
        saw(lease, nowNanos, nowNanos, false);
    }

    /**
     * Called with every Lease that was read. One that is older than what was seen before the read was asked for shows that the versions
     * themselves went back, as after a restore of etcd; else it is no news.
     */
    void read(ElectionLease lease, long askedNanos, long nowNanos) {
        saw(lease, askedNanos, nowNanos, true);
    }

    private void saw(ElectionLease lease, long askedNanos, long nowNanos, boolean read) {
        if (lease.lease().isEmpty()) {
            seen.remove(lease.election());
            return;
        }
        String term = lease.holder() + "\n"
                + lease.note().map(note -> note.nonce().toString()).orElse("");
        long version = lease.version();
        Seen before = seen.get(lease.election());
        boolean restored = read && before != null && version < before.version && before.sinceNanos - askedNanos < 0;
        if (before == null || before.version < version || restored) {
            long termVersion = before != null && before.term.equals(term) ? before.termVersion : version;
            seen.put(lease.election(), new Seen(version, nowNanos, term, termVersion));
        }
    }

    /** Has a newer version been seen? */
    boolean isOutdated(ElectionLease lease) {
        Seen last = seen.get(lease.election());
        return last != null && lease.lease().isPresent() && lease.version() < last.version;
    }

    /** Until when this very version has to stay before its holder counts as silent. */
    long silentAtNanos(ElectionLease lease, long ttlNanos, long nowNanos) {
        Seen last = seen.get(lease.election());
        long sinceNanos = last != null && last.version == lease.version() ? last.sinceNanos : nowNanos;
        return sinceNanos + Math.max(lease.duration().toNanos(), ttlNanos);
    }

    /** The version under which the holder was seen first. */
    long termVersion(ElectionLease lease) {
        Seen last = seen.get(lease.election());
        return last == null ? lease.version() : last.termVersion;
    }
}
