// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store.session;

import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.simulator.store.StoreHistory;
import dev.tenure.simulator.store.StoreServer;
import dev.tenure.simulator.store.session.SessionStoreState.Entry;
import dev.tenure.simulator.store.session.SessionStoreState.Lease;
import dev.tenure.simulator.store.session.SessionStoreState.Race;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.testing.SplitMix64;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What fate and operators do to a store with sessions. */
public final class SessionStoreFaults implements StoreServer {
    private final SessionServer server;
    private final StoreHistory history;
    private final SplitMix64 random;
    private SessionStoreState snapshot;

    public SessionStoreFaults(SessionServer server, StoreHistory history, SplitMix64 random) {
        this.server = server;
        this.history = history;
        this.random = random;
        this.snapshot = server.state().copy();
    }

    public SessionServer server() {
        return server;
    }

    private List<Lease> leases() {
        return new ArrayList<>(server.state().leases.values());
    }

    private List<Lease> lives() {
        return server.state().races.stream()
                .flatMap(race -> race.queue.stream())
                .flatMap(entry -> Stream.ofNullable(entry.life))
                .toList();
    }

    @Override
    public boolean revokeSession(long pick) {
        List<Lease> all = leases();
        if (all.isEmpty()) {
            return false;
        }
        revoke(all.get((int) Long.remainderUnsigned(pick, all.size())));
        return true;
    }

    private void revoke(Lease lease) {
        history.sessionBroken(lease.id);
        server.end(lease, StoreHistory.NOBODY, lease.ttlNanos);
        server.notifyLost(lease, "it was revoked");
    }

    /** By hand, or by a script. */
    public void revoke(String session) {
        Lease lease = server.state().leases.get(session);
        if (lease != null) {
            revoke(lease);
        }
    }

    @Override
    public boolean loseLeader() {
        if (server.rules().hasLeader()) {
            server.expiries().leaderLost();
        }
        return server.rules().hasLeader();
    }

    @Override
    public void electLeader() {
        server.leaderElected();
    }

    /** It goes on counting from the renewals that it knew, and has not heard that it was voted out. */
    @Override
    public Runnable stalledLeader() {
        Map<String, Long> dueNanos = new TreeMap<>();
        leases().forEach(lease -> dueNanos.put(lease.id, server.expiries().dueNanos(lease)));
        return () -> leases().stream()
                .filter(lease -> dueNanos.getOrDefault(lease.id, Long.MAX_VALUE)
                        < server.clock().nanos())
                .forEach(this::revoke);
    }

    @Override
    public boolean loseNextTouch(int process, Runnable then) {
        boolean handsOn = server.rules().touchDelayNanosMax() > 0;
        if (handsOn) {
            server.delayedTouches().loseNext(process, then);
        }
        return handsOn;
    }

    @Override
    public void reconnected(int process) {
        server.delayedTouches().reconnected(process);
    }

    @Override
    public boolean removeEmpty(int election) {
        List<Race> races = server.state().races;
        if (!server.rules().removesEmptyElections() || races.get(election).head() != null) {
            return false;
        }
        races.set(election, new Race());
        return true;
    }

    @Override
    public void forgetSessions() {
        leases().forEach(this::revoke);
    }

    @Override
    public void expireLate(long byNanos) {
        server.expiries().late(byNanos);
    }

    /** Stores with sessions time them on a monotonic clock: it can jump ahead, as in a virtual machine, but not back. */
    @Override
    public boolean stepClock(long byNanos) {
        if (byNanos < 0) {
            return false;
        }
        server.clock().step(byNanos);
        leases().forEach(lease -> history.sessionBroken(lease.id));
        server.expiries().rearm(leases());
        server.expiries().rearm(lives());
        return true;
    }

    @Override
    public boolean deleteClaim(int election) {
        Entry head = server.state().races.get(election).head();
        if (head == null) {
            return false;
        }
        history.claimBroken(election);
        server.remove(election, head, StoreHistory.NOBODY, head.lease.ttlNanos);
        return true;
    }

    /** The operator writes another client's name into the entry of the holder; it ends like any session does. */
    @Override
    public boolean editClaim(int election) {
        Race race = server.state().races.get(election);
        Entry head = race.head();
        if (head == null || head.token == 0) {
            return false;
        }
        Lease foreign = new Lease(
                server.otherId(),
                StoreHistory.NOBODY,
                new StoreRules.Lifetime(head.lease.ttlNanos, head.lease.timeoutNanos),
                null,
                0);
        server.state().leases.put(foreign.id, foreign);
        server.expiries().renew(foreign);
        Nonce nonce = new Nonce(random.next(), random.next());
        history.claimBroken(election);
        ClaimRequest written = new ClaimRequest(server.nameOf(election), nonce, 0, "operator", LeaderMetadata.EMPTY);
        Entry edited = new Entry(foreign, written, head.revision, head.sequence, Instant.EPOCH);
        edited.token = head.token;
        race.queue.set(0, edited);
        server.changed(election);
        return true;
    }

    @Override
    public boolean garbleClaim(int election) {
        return false;
    }

    @Override
    public void repairClaim(int election) {}

    @Override
    public void takeSnapshot() {
        snapshot = server.state().copy();
    }

    @Override
    public void restoreSnapshot() {
        replaceWith(snapshot.copy());
    }

    @Override
    public void wipe() {
        replaceWith(new SessionStoreState(server.otherId(), server.state().races.size()));
    }

    @Override
    public void loseLast(int writes) {
        SessionStoreState older = server.before(writes);
        if (older != null) {
            replaceWith(older);
        }
    }

    private void replaceWith(SessionStoreState other) {
        SessionStoreState before = server.state();
        history.forgot();
        for (Lease lease : leases()) {
            if (!other.leases.containsKey(lease.id)) {
                history.sessionBroken(lease.id);
                history.sessionEnded(lease.id, StoreHistory.NOBODY);
                server.expiries().forget(lease);
            }
        }
        server.setState(other);
        for (Lease lease : leases()) {
            if (!before.leases.containsKey(lease.id)) {
                server.expiries().renew(lease);
                history.sessionLives(
                        lease.id,
                        StoreHistory.NOBODY,
                        lease.ttlNanos,
                        server.expiries().goodUntilNanos(lease));
            }
        }
        for (int election = 0; election < other.races.size(); election++) {
            headReplaced(
                    election,
                    before.races.get(election).head(),
                    other.races.get(election).head());
        }
    }

    private void headReplaced(int election, @Nullable Entry was, @Nullable Entry is) {
        if (was == is) {
            return;
        }
        history.claimBroken(election);
        if (was != null && was.life != null) {
            server.expiries().forget(was.life);
        }
        if (is != null && is.token != 0) {
            history.claimRestored(election, is.nonce);
        }
        if (is != null) {
            server.prolong(election, is);
        }
        server.changed(election);
    }

    @Override
    public boolean killWatch(long pick) {
        List<Lease> all = leases();
        int size = all.size() + server.notices().size();
        if (size == 0) {
            return false;
        }
        int chosen = (int) Long.remainderUnsigned(pick, size);
        if (chosen < all.size()) {
            SessionLink.Held held = all.get(chosen).held;
            if (held != null) {
                held.deaf = true;
            }
        } else {
            server.notices().get(chosen - all.size()).dead = true;
        }
        return true;
    }

    @Override
    public void spuriousNotice(int election) {
        server.changed(election);
    }

    @Override
    public boolean grantShorter(int percent) {
        server.grantShorter(percent);
        return true;
    }

    @Override
    public int era() {
        return server.era().era();
    }

    @Override
    public void setEra(int era) {
        server.raiseEra(era);
    }

    @Override
    public int sessionsOpen() {
        return server.state().leases.size();
    }
}
