package dev.tenure.explorer;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The store in small: sessions that expire on its own clock, one claim record with a version, those who wait for it if the
 * store keeps a queue, and perhaps a backup. It behaves as a store and its adapter behave together, seen from outside.
 */
record Store(long ticks, Claim claim, List<Lease> sessions, List<Place> queue, Optional<Backup> backup) {
    static final Store EMPTY = new Store(0, Claim.vacant(0, 0), List.of(), List.of(), Optional.empty());

    /** Who holds the election, under which token and nonce. A number of 0 is nobody, none, never. */
    record Claim(boolean held, int session, long nonce, long token, long version) {
        /** Free, with the token that was issued last. */
        static Claim vacant(long token, long version) {
            return new Claim(false, 0, 0, token, version);
        }

        /** The same, written once more. */
        Claim touched(long newVersion) {
            return new Claim(held, session, nonce, token, newVersion);
        }
    }

    /**
     * @param expiresAt in ticks of the store: from then on the session may be removed, at any later time
     * @param newestCall the newest call that a queue has taken from it: older ones are refused
     */
    record Lease(int session, long expiresAt, long newestCall) {}

    record Place(int session, long nonce) {}

    record Backup(Claim claim, List<Lease> sessions, List<Place> queue) {}

    Optional<Lease> lease(int session) {
        for (Lease lease : sessions) {
            if (lease.session == session) {
                return Optional.of(lease);
            }
        }
        return Optional.empty();
    }

    boolean isAlive(int session) {
        return lease(session).isPresent();
    }

    /** Does a queue take this call, or was it overtaken, or is its session over? */
    boolean takes(Message call) {
        Optional<Lease> lease = lease(call.session());
        return lease.isPresent() && call.attempt() >= lease.get().newestCall;
    }

    Store called(Message call) {
        List<Lease> changed = new ArrayList<>(sessions);
        changed.replaceAll(lease ->
                lease.session == call.session() ? new Lease(lease.session, lease.expiresAt, call.attempt()) : lease);
        return with(changed);
    }

    /** Does this session hold the election under this nonce, or wait for it? */
    boolean isOf(int session, long nonce) {
        return (claim.session == session && claim.nonce == nonce) || queue.contains(new Place(session, nonce));
    }

    /** Does this session hold the election or wait for it, under any nonce? */
    boolean names(int session) {
        return (claim.held && claim.session == session) || waits(session);
    }

    private boolean waits(int session) {
        for (Place place : queue) {
            if (place.session == session) {
                return true;
            }
        }
        return false;
    }

    Store with(Claim changed) {
        return new Store(ticks, changed, sessions, queue, backup);
    }

    Store with(List<Lease> changed) {
        return new Store(ticks, claim, List.copyOf(changed), queue, backup);
    }

    Store queued(List<Place> changed) {
        return new Store(ticks, claim, sessions, List.copyOf(changed), backup);
    }

    Store tick() {
        return new Store(ticks + 1, claim, sessions, queue, backup);
    }

    Store without(int session) {
        if (!isAlive(session)) {
            return this;
        }
        List<Lease> changed = new ArrayList<>(sessions);
        changed.removeIf(lease -> lease.session == session);
        return with(changed);
    }

    Store with(Backup changed) {
        return new Store(ticks, claim, sessions, queue, Optional.of(changed));
    }

    Store backedUp() {
        return with(new Backup(claim, sessions, queue));
    }

    Store restored() {
        Backup from = backup.orElseThrow();
        return new Store(ticks, from.claim, from.sessions, from.queue, Optional.empty());
    }
}
