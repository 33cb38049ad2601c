// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store.session;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.Nonce;
import dev.tenure.simulator.store.Injected;
import dev.tenure.simulator.store.SimulatedLink;
import dev.tenure.simulator.store.StoreClock;
import dev.tenure.simulator.store.StoreHistory;
import dev.tenure.simulator.store.session.SessionStoreState.Entry;
import dev.tenure.simulator.store.session.SessionStoreState.Lease;
import dev.tenure.simulator.store.session.SessionStoreState.Race;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.Observation;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.ReleaseReply;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.StoreEra;
import dev.tenure.testing.SplitMix64;
import dev.tenure.testing.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A store with sessions of its own, as it is at the other end of the network. Claims are entries in a queue under the
 * store's revision, and the client whose entry comes to its head is notified (as with etcd or ZooKeeper); or, without a
 * queue, there is one entry, and every client is notified that something has changed (as with Consul).
 */
public final class SessionServer {
    private static final RenewReply GONE = new RenewReply.Gone("the store does not know this session");

    private final boolean queues;
    private final List<ElectionName> elections;
    private final StoreRules rules;
    private final Expiries expiries;
    private final DelayedTouches delayedTouches;
    private final StoreClock clock;
    private final StoreHistory history;
    private final SplitMix64 random;
    private final List<Notice> notices = new ArrayList<>();
    private final boolean remembersWrites;
    private SessionStoreState state;
    private final List<SessionStoreState> earlier = new ArrayList<>();
    private int ttlPercent = 100;

    /** A client that wants to be notified of changes. */
    static final class Notice {
        final SimulatedLink link;
        final Consumer<ElectionName> changed;
        boolean dead;

        Notice(SimulatedLink link, Consumer<ElectionName> changed) {
            this.link = link;
            this.changed = changed;
        }
    }

    /** What kind of store it is. */
    public record Nature(StoreRules rules, boolean queues, boolean remembersWrites, List<ElectionName> elections) {}

    public SessionServer(Nature nature, VirtualTime time, StoreClock clock, StoreHistory history, SplitMix64 random) {
        this.rules = nature.rules;
        this.queues = nature.queues;
        this.remembersWrites = nature.remembersWrites;
        this.elections = List.copyOf(nature.elections);
        this.clock = clock;
        this.history = history;
        this.random = random;
        this.expiries = new Expiries(time, clock, rules, this::expired);
        this.delayedTouches = new DelayedTouches(time, random, rules.touchDelayNanosMax(), this::handedOn);
        this.state = new SessionStoreState(freshId(), elections.size());
    }

    boolean queues() {
        return queues;
    }

    SessionStoreState state() {
        return state;
    }

    StoreRules rules() {
        return rules;
    }

    DelayedTouches delayedTouches() {
        return delayedTouches;
    }

    Expiries expiries() {
        return expiries;
    }

    StoreClock clock() {
        return clock;
    }

    List<Notice> notices() {
        return notices;
    }

    ElectionName nameOf(int election) {
        return elections.get(election);
    }

    int electionOf(ElectionName name) {
        return elections.indexOf(name);
    }

    private String freshId() {
        return Long.toHexString(random.next()) + Long.toHexString(random.next());
    }

    // ---- sessions

    Lease open(SessionLink.Held held, int process, Duration wanted) {
        remember();
        StoreRules.Lifetime lifetime = rules.grant(wanted.toNanos() / 100 * ttlPercent);
        Lease lease = new Lease(freshId(), process, lifetime, held, elections.size());
        state.leases.put(lease.id, lease);
        prolong(lease);
        return lease;
    }

    private void prolong(Lease lease) {
        expiries.renew(lease);
        notifyAlive(lease);
    }

    private void notifyAlive(Lease lease) {
        history.sessionLives(lease.id, lease.process, lease.ttlNanos, expiries.goodUntilNanos(lease));
    }

    /** The one that judges hears that a session lives, if it still does. */
    private void handedOn(Lease lease) {
        if (state.leases.containsKey(lease.id)) {
            prolong(lease);
        }
    }

    /** @param held the claims of this session, also those that wait for their first answer */
    RenewReply renew(Lease asked, Collection<SessionLink.HeldClaim> held) {
        RenewReply kept = keepAlive(asked);
        if (rules.livesPerClaim() && kept instanceof RenewReply.Renewed renewed && state.leases.containsKey(asked.id)) {
            return new RenewReply.Renewed(renewed.ttl(), renewEach(asked, held));
        }
        // Where the dead may be renewed, the backend reads the session's own key too, which dies with it.
        boolean guarded = !rules.renewsTheDead() || state.leases.containsKey(asked.id);
        return guarded ? kept : GONE;
    }

    private RenewReply keepAlive(Lease asked) {
        Lease lease = state.leases.get(asked.id);
        if (lease == null) {
            return rules.renewsTheDead() ? new RenewReply.Renewed(Duration.ofNanos(asked.ttlNanos)) : GONE;
        }
        delayedTouches.touch(lease);
        for (Race race : state.races) {
            Entry head = race.head();
            if (head != null && head.lease == lease) {
                race.request.ifPresent(request -> pushRequest(lease, request));
            }
        }
        return new RenewReply.Renewed(Duration.ofNanos(lease.ttlNanos));
    }

    /**
     * One write for each claim. If the outcome of one is unknown, that of the renewal is.
     *
     * @return those that are held by somebody else or by nobody
     */
    private List<RenewReply.LostClaim> renewEach(Lease lease, Collection<SessionLink.HeldClaim> held) {
        List<RenewReply.LostClaim> lost = new ArrayList<>();
        boolean partly = !held.isEmpty() && random.below(8) == 0;
        boolean unknown = false;
        for (SessionLink.HeldClaim claim : held) {
            Optional<Entry> own = Optional.ofNullable(
                            state.races.get(claim.election()).head())
                    .filter(head -> head.lease == lease && head.nonce.equals(claim.nonce()));
            boolean failed = partly && random.below(2) == 0;
            unknown |= failed;
            if (!failed && own.isPresent()) {
                prolong(claim.election(), own.get());
            } else if (!failed && claim.granted()) {
                lost.add(new RenewReply.LostClaim(nameOf(claim.election()), claim.nonce()));
            }
        }
        if (unknown) {
            throw Injected.UNREACHABLE;
        }
        return lost;
    }

    void prolong(int election, Entry entry) {
        Lease life = entry.life;
        if (life != null) {
            expiries.renew(life);
            history.claimLives(election, entry.nonce, expiries.goodUntilNanos(life));
        }
    }

    /** Another server leads: it knows of every session, but of no renewal. */
    void leaderElected() {
        delayedTouches.loseAll();
        state.revision = rules.revisionOfNewLeader(state.revision);
        List<Lease> all = new ArrayList<>(state.leases.values());
        expiries.leaderElected(all);
        all.forEach(this::notifyAlive);
    }

    private void expired(Lease lease) {
        if (!state.leases.containsKey(lease.id)) {
            claimExpired(lease);
            return;
        }
        end(lease, StoreHistory.NOBODY, 0);
        notifyLost(lease, "it was silent for its TTL");
    }

    private void claimExpired(Lease life) {
        for (int election = 0; election < state.races.size(); election++) {
            Entry holder = state.races.get(election).head();
            if (holder != null && holder.life == life) {
                remove(election, holder, StoreHistory.NOBODY, 0);
            }
        }
    }

    void close(String id, int by) {
        Lease lease = state.leases.get(id);
        if (lease != null) {
            remember();
            end(lease, by, 0);
        }
    }

    /** @param standoffNanos how long its owner may still believe */
    void end(Lease lease, int by, long standoffNanos) {
        state.leases.remove(lease.id);
        expiries.forget(lease);
        history.sessionEnded(lease.id, by);
        for (int election = 0; election < state.races.size(); election++) {
            Entry entry = state.races.get(election).of(lease);
            if (entry != null) {
                boolean closed = by == lease.process;
                boolean clean = closed && rules.distinguishesClosing();
                remove(election, entry, by, clean ? -1 : closed ? lease.ttlNanos : standoffNanos);
            }
        }
    }

    void notifyLost(Lease lease, String why) {
        SessionLink.Held held = lease.held;
        if (held != null && !held.deaf) {
            held.link().push(why.hashCode(), () -> held.events().lost(why));
        }
    }

    // ---- claims

    ClaimReply claim(String session, int election, ClaimRequest request, long number) {
        Lease lease = current(session, election, number);
        Race race = state.races.get(election);
        Entry mine = race.of(lease);
        if (mine != null && !mine.nonce.equals(request.nonce())) {
            remember();
            remove(election, mine, lease.process, -1);
            mine = null;
        }
        if (mine == null) {
            Entry head = race.head();
            if (!queues && head != null) {
                return new ClaimReply.Waiting(Optional.of(leader(election, head)), false);
            }
            remember();
            mine = new Entry(lease, request, ++state.revision, ++race.sequence, Instant.ofEpochMilli(clock.millis()));
            race.queue.add(mine);
            if (rules.livesPerClaim()) {
                StoreRules.Lifetime lifetime = new StoreRules.Lifetime(lease.ttlNanos, lease.timeoutNanos);
                mine.life = new Lease(freshId(), lease.process, lifetime, null, 0);
            }
            if (race.head() == mine) {
                changed(election);
            }
        }
        Entry head = race.head();
        if (head == mine) {
            ClaimReply.Granted granted = grant(election, race, mine);
            prolong(election, mine);
            return granted;
        }
        return new ClaimReply.Waiting(head == null ? Optional.empty() : Optional.of(leader(election, head)), true);
    }

    private Lease current(String session, int election, long number) {
        Lease lease = state.leases.get(session);
        if (lease == null || number < lease.newest[election]) {
            throw Injected.REFUSED;
        }
        lease.newest[election] = number;
        return lease;
    }

    private ClaimReply.Granted grant(int election, Race race, Entry head) {
        long token = tokenOf(election, head);
        return new ClaimReply.Granted(
                new FencingToken(token), head.nonce, race.takeover, Duration.ofNanos(race.standoffNanos));
    }

    /** A linearizable read of one's own entry: the grant, if it is at the head. */
    Optional<ClaimReply.Granted> readOwn(int election, String session, Nonce nonce) {
        Race race = state.races.get(election);
        Entry head = race.head();
        if (head == null || !head.lease.id.equals(session) || !head.nonce.equals(nonce)) {
            return Optional.empty();
        }
        return Optional.of(grant(election, race, head));
    }

    /** What a server that lags will still show when this head looks at its entry, whatever has happened by then. */
    private Optional<ClaimReply.Granted> shownLater(int election, Entry head) {
        return rules.showsWhatItNotifiedOf() && random.below(2) == 0
                ? Optional.of(grant(election, state.races.get(election), head))
                : Optional.empty();
    }

    private long tokenOf(int election, Entry head) {
        if (head.token == 0) {
            head.token = FencingToken.of(state.era, head.revision).value();
            Race race = state.races.get(election);
            race.tokenMax = Math.max(race.tokenMax, head.token);
            history.claimed(election, head.nonce, head.lease.id, head.token, head.lease.process);
        }
        return head.token;
    }

    private Leader leader(int election, Entry head) {
        return new Leader(
                elections.get(election),
                head.holder,
                new FencingToken(tokenOf(election, head)),
                head.since,
                head.metadata);
    }

    ReleaseReply release(String session, int election, long number) {
        Lease lease = state.leases.get(session);
        if (lease == null) {
            return ReleaseReply.NOT_HELD;
        }
        current(session, election, number);
        Entry mine = state.races.get(election).of(lease);
        if (mine == null) {
            return ReleaseReply.NOT_HELD;
        }
        remember();
        remove(election, mine, lease.process, -1);
        return ReleaseReply.RELEASED;
    }

    /** @param standoffNanos how long its holder may still believe; negative if it let go by itself */
    void remove(int election, Entry entry, int by, long standoffNanos) {
        Race race = state.races.get(election);
        boolean wasHead = race.head() == entry;
        race.queue.remove(entry);
        if (entry.life != null) {
            expiries.forget(entry.life);
        }
        state.revision++;
        if (wasHead) {
            race.takeover = standoffNanos >= 0;
            race.standoffNanos = Math.max(0, standoffNanos);
            if (entry.token != 0) {
                history.vacated(election, by);
            }
            changed(election);
        }
    }

    // ---- looks

    Observation observe(int election) {
        Race race = state.races.get(election);
        Entry head = race.head();
        Optional<Leader> leader = head == null ? Optional.empty() : Optional.of(leader(election, head));
        return new Observation(elections.get(election), leader, race.tokenMax);
    }

    List<Observation> observeAll() {
        List<Observation> all = new ArrayList<>();
        for (int i = 0; i < elections.size(); i++) {
            if (state.races.get(i).tokenMax > 0) {
                all.add(observe(i));
            }
        }
        return all;
    }

    StoreEra era() {
        return new StoreEra(state.storeId, state.era);
    }

    StoreEra raiseEra(int atLeast) {
        remember();
        state.era = Math.max(state.era, atLeast);
        return era();
    }

    // ---- requests and notifications

    void request(int election, OperatorRequest request) {
        state.races.get(election).request = Optional.of(request);
        state.leases.values().forEach(lease -> pushRequest(lease, request));
    }

    void clear(int election, OperatorRequest request) {
        Race race = state.races.get(election);
        if (race.request.equals(Optional.of(request))) {
            race.request = Optional.empty();
        }
    }

    private static void pushRequest(Lease lease, OperatorRequest request) {
        SessionLink.Held held = lease.held;
        if (held != null && !held.deaf) {
            held.link().push(request.token().value(), () -> held.events().requested(request));
        }
    }

    /** The head of an election has changed: tell it, or everybody. */
    void changed(int election) {
        Entry head = state.races.get(election).head();
        if (queues && head != null) {
            SessionLink.Held held = head.lease.held;
            if (held != null && !held.deaf) {
                Optional<ClaimReply.Granted> then = shownLater(election, head);
                held.link().push(election, () -> held.cameToFront(election, head.nonce, then));
            }
        }
        if (!queues) {
            for (Lease lease : state.leases.values()) {
                SessionLink.Held held = lease.held;
                if (held != null && !held.deaf) {
                    held.link().push(election, () -> held.events().changed(elections.get(election)));
                }
            }
        }
        for (Notice notice : notices) {
            if (!notice.dead) {
                notice.link.push(election, () -> notice.changed.accept(elections.get(election)));
            }
        }
    }

    // ---- what fate does

    void grantShorter(int percent) {
        ttlPercent = percent;
    }

    void setState(SessionStoreState other) {
        state = other;
    }

    String otherId() {
        return freshId();
    }

    private void remember() {
        if (remembersWrites) {
            earlier.add(state.copy());
            if (earlier.size() > 8) {
                earlier.remove(0);
            }
        }
    }

    /** The state before the last so many writes. */
    @Nullable
    SessionStoreState before(int writes) {
        if (earlier.isEmpty()) {
            return null;
        }
        SessionStoreState found = earlier.get(Math.max(0, earlier.size() - writes));
        earlier.clear();
        return found;
    }
}
