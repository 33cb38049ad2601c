// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Host;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The Leases of elections as this process reads and writes them, and how long their holders have been silent: since when, by this process' own
 * monotonic clock, each Lease has had the version that it has. No clock of another process counts. Loop-confined.
 */
final class ElectionLeases {
    private static final int ROUNDS_MAX = 5;

    /** @param termVersion the version under which this holder was seen first */
    private record Seen(long version, long sinceNanos, String term, long termVersion) {}

    private final LeaseApi api;
    private final Host host;
    private final EraLease era;
    private final Map<ElectionName, Seen> seen = new HashMap<>();

    ElectionLeases(LeaseApi api, Host host, EraLease era) {
        this.api = api;
        this.host = host;
        this.era = era;
    }

    LeaseApi api() {
        return api;
    }

    Host host() {
        return host;
    }

    EraLease era() {
        return era;
    }

    ZonedDateTime now() {
        return api.now();
    }

    CompletableFuture<ElectionLease> get(ElectionName election) {
        return seen(election, api.get(LeaseNames.of(election)));
    }

    /** For a renewal, which must not wait behind other requests. */
    CompletableFuture<ElectionLease> reread(ElectionName election) {
        return seen(election, api.reread(LeaseNames.of(election)));
    }

    private CompletableFuture<ElectionLease> seen(ElectionName election, CompletableFuture<Optional<Lease>> asked) {
        long askedNanos = host.nanos();
        return asked.thenApply(found -> {
            ElectionLease lease = new ElectionLease(election, found);
            saw(lease, askedNanos, true);
            return lease;
        });
    }

    /** Empty if what stands there is not what was read. */
    CompletableFuture<Optional<ElectionLease>> write(ElectionLease read, Lease next) {
        return written(read.election(), read.lease().isPresent() ? api.replace(next) : api.create(next));
    }

    /** The same, before all that can wait: what keeps a term, or gives it up. */
    CompletableFuture<Optional<ElectionLease>> writeFirst(ElectionLease read, Lease next) {
        return written(read.election(), read.lease().isPresent() ? api.replaceFirst(next) : api.create(next));
    }

    private static CompletableFuture<Optional<ElectionLease>> written(
            ElectionName election, CompletableFuture<Optional<Lease>> asked) {
        return asked.thenApply(found ->
                found.map(lease -> ApiErrors.ofWritten(() -> new ElectionLease(election, Optional.of(lease)))));
    }

    /**
     * Reads and writes, again if somebody comes in between.
     *
     * @param next what is to stand there instead; empty if nothing is to be changed
     * @return as written; empty if there was nothing to change
     */
    CompletableFuture<Optional<ElectionLease>> change(
            ElectionName election, Function<ElectionLease, Optional<Lease>> next) {
        return change(election, next, ROUNDS_MAX);
    }

    private CompletableFuture<Optional<ElectionLease>> change(
            ElectionName election, Function<ElectionLease, Optional<Lease>> next, int rounds) {
        if (rounds == 0) {
            throw changesAllTheTime(election, Effect.NONE);
        }
        return get(election)
                .thenCompose(lease -> next.apply(lease)
                        .map(changed -> write(lease, changed)
                                .thenCompose(written -> written.isPresent()
                                        ? CompletableFuture.completedFuture(written)
                                        : change(election, next, rounds - 1)))
                        .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty())));
    }

    BackendException changesAllTheTime(ElectionName election, Effect effect) {
        return new BackendException(
                effect, Kind.UNREACHABLE, "the Lease of " + election + " is being changed all the time; try again");
    }

    // ---- silence

    /** Called with what a watch has shown. */
    void observed(ElectionLease lease) {
        saw(lease, host.nanos(), false);
    }

    /**
     * A version that is older than what was seen before is no news. Only one that was read, and that is older than what was seen before the read
     * was asked for, shows that the versions themselves went back, as after a restore of etcd.
     */
    void saw(ElectionLease lease, long askedNanos, boolean read) {
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
            seen.put(lease.election(), new Seen(version, host.nanos(), term, termVersion));
        }
    }

    private Optional<Seen> last(ElectionLease lease) {
        return Optional.ofNullable(seen.get(lease.election()));
    }

    /** Has a newer version been seen? */
    boolean isOutdated(ElectionLease lease) {
        return lease.lease().isPresent()
                && last(lease).filter(last -> lease.version() < last.version).isPresent();
    }

    /** Was its holder silent for its time? */
    boolean isSilent(ElectionLease lease, long ttlNanos) {
        return host.nanos() - silentAtNanos(lease, ttlNanos) >= 0;
    }

    /**
     * Until when this very version has to stay before its holder counts as silent. A client of another library may count its own duration instead
     * of what it has written: the longer one counts here.
     */
    long silentAtNanos(ElectionLease lease, long ttlNanos) {
        long sinceNanos = last(lease)
                .filter(last -> last.version == lease.version())
                .map(last -> last.sinceNanos)
                .orElseGet(host::nanos);
        return sinceNanos + Math.max(lease.duration().toNanos(), lease.term().isPresent() ? 0 : ttlNanos);
    }

    /** Nobody knows which write has made a foreign holder the holder: the first one that was seen of it stands for that. */
    FencingToken tokenOfForeign(ElectionLease lease) {
        long version = last(lease).map(last -> last.termVersion).orElseGet(lease::version);
        return FencingToken.of(era.known().era(), version);
    }
}
