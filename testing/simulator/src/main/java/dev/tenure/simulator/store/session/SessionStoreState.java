// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store.session;

import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.OperatorRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Everything that a store with sessions keeps: what a snapshot holds, and what a restore brings back. */
final class SessionStoreState {
    final TreeMap<String, Lease> leases = new TreeMap<>();
    final List<Race> races = new ArrayList<>();
    String storeId;
    int era;
    long revision;

    SessionStoreState(String storeId, int elections) {
        this.storeId = storeId;
        for (int i = 0; i < elections; i++) {
            races.add(new Race());
        }
    }

    SessionStoreState copy() {
        SessionStoreState copy = new SessionStoreState(storeId, 0);
        copy.era = era;
        copy.revision = revision;
        copy.leases.putAll(leases);
        races.forEach(race -> copy.races.add(race.copy()));
        return copy;
    }

    /** A session, with the number of the process that opened it. */
    static final class Lease {
        final String id;
        final int process;
        /** What its holder may rely on. */
        final long ttlNanos;
        /** After how long a silence the store may end it. */
        final long timeoutNanos;

        final SessionLink.@Nullable Held held;
        /** The newest call of each election: what was sent before it comes too late. */
        final long[] newest;

        Lease(String id, int process, StoreRules.Lifetime lifetime, SessionLink.@Nullable Held held, int elections) {
            this.id = id;
            this.process = process;
            this.ttlNanos = lifetime.ttlNanos();
            this.timeoutNanos = lifetime.timeoutNanos();
            this.held = held;
            this.newest = new long[elections];
        }
    }

    /** One who stands in an election: the first in the queue holds it. */
    static final class Entry {
        final Lease lease;
        final Nonce nonce;
        final String holder;
        final LeaderMetadata metadata;
        /** Of the store, when it was made: its token. */
        final long revision;
        /** Of its election, when it was made: its place. */
        final long sequence;

        final Instant since;
        /** How long it lives by itself, where claims do so. */
        @Nullable
        Lease life;

        /** Set when somebody first reads it at the head. */
        long token;

        Entry(Lease lease, ClaimRequest request, long revision, long sequence, Instant since) {
            this.lease = lease;
            this.nonce = request.nonce();
            this.holder = request.holder();
            this.metadata = request.metadata();
            this.revision = revision;
            this.sequence = sequence;
            this.since = since;
        }
    }

    /** One election. */
    static final class Race {
        final List<Entry> queue = new ArrayList<>();
        long sequence;
        long tokenMax;
        /** How the last holder before the present one ended. */
        boolean takeover;

        long standoffNanos;
        Optional<OperatorRequest> request = Optional.empty();

        @Nullable
        Entry head() {
            return queue.isEmpty() ? null : queue.get(0);
        }

        @Nullable
        Entry of(Lease lease) {
            for (Entry entry : queue) {
                if (entry.lease == lease) {
                    return entry;
                }
            }
            return null;
        }

        Race copy() {
            Race copy = new Race();
            copy.queue.addAll(queue);
            copy.sequence = sequence;
            copy.tokenMax = tokenMax;
            copy.takeover = takeover;
            copy.standoffNanos = standoffNanos;
            copy.request = request;
            return copy;
        }
    }
}
