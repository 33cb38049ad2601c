// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The store in small: sessions that expire on its own clock, one claim record with a version, those who wait for it if the
 * store keeps a queue, and perhaps a backup. It behaves as a store and its adapter behave together, seen from outside.
 */
public record StoreState(
        long ticks, Claim claim, List<Lease> sessions, List<QueuePlace> queue, Optional<Backup> backup) {
    static final StoreState EMPTY = new StoreState(0, Claim.vacant(0, 0), List.of(), List.of(), Optional.empty());

    /** The session that holds the election, and its token and nonce. A number of 0 is nobody, none, never. */
    public record Claim(boolean held, int session, long nonce, long token, long version) {
        /** Free, with the token that was issued last. */
        public static Claim vacant(long token, long version) {
            return new Claim(false, 0, 0, token, version);
        }

        /** The same, written once more. */
        public Claim touched(long newVersion) {
            return new Claim(held, session, nonce, token, newVersion);
        }
    }

    /**
     * @param expiresAt in ticks of the store: from then on the session may be removed, at any later time
     * @param newestCall the newest call that a queue has taken from it: older ones are refused
     */
    public record Lease(int session, long expiresAt, long newestCall) {}

    public record QueuePlace(int session, long nonce) {}

    record Backup(Claim claim, List<Lease> sessions, List<QueuePlace> queue) {}

    public Optional<Lease> lease(int session) {
        for (Lease lease : sessions) {
            if (lease.session == session) {
                return Optional.of(lease);
            }
        }
        return Optional.empty();
    }

    public boolean isAlive(int session) {
        return lease(session).isPresent();
    }

    /** Does a queue take this call, or was it overtaken, or is its session over? */
    public boolean takes(ModelMessage call) {
        Optional<Lease> lease = lease(call.session());
        return lease.isPresent() && call.attempt() >= lease.get().newestCall;
    }

    public StoreState called(ModelMessage call) {
        List<Lease> changed = new ArrayList<>(sessions);
        changed.replaceAll(lease ->
                lease.session == call.session() ? new Lease(lease.session, lease.expiresAt, call.attempt()) : lease);
        return with(changed);
    }

    /** Does this session hold the election under this nonce, or wait for it? */
    public boolean isOf(int session, long nonce) {
        return (claim.session == session && claim.nonce == nonce) || queue.contains(new QueuePlace(session, nonce));
    }

    /** Does this session hold the election or wait for it, under any nonce? */
    boolean names(int session) {
        return (claim.held && claim.session == session) || waits(session);
    }

    private boolean waits(int session) {
        for (QueuePlace queuePlace : queue) {
            if (queuePlace.session == session) {
                return true;
            }
        }
        return false;
    }

    public StoreState with(Claim changed) {
        return new StoreState(ticks, changed, sessions, queue, backup);
    }

    public StoreState with(List<Lease> changed) {
        return new StoreState(ticks, claim, List.copyOf(changed), queue, backup);
    }

    public StoreState queued(List<QueuePlace> changed) {
        return new StoreState(ticks, claim, sessions, List.copyOf(changed), backup);
    }

    public StoreState tick() {
        return new StoreState(ticks + 1, claim, sessions, queue, backup);
    }

    public StoreState without(int session) {
        if (!isAlive(session)) {
            return this;
        }
        List<Lease> changed = new ArrayList<>(sessions);
        changed.removeIf(lease -> lease.session == session);
        return with(changed);
    }

    public StoreState with(Backup changed) {
        return new StoreState(ticks, claim, sessions, queue, Optional.of(changed));
    }

    public StoreState backedUp() {
        return with(new Backup(claim, sessions, queue));
    }

    public StoreState restored() {
        Backup from = backup.orElseThrow();
        return new StoreState(ticks, from.claim, from.sessions, from.queue, Optional.empty());
    }
}
