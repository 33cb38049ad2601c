// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Event;
import dev.tenure.algorithms.Message;
import dev.tenure.algorithms.quorum.QuorumState.Ballot;
import dev.tenure.peers.connection.PeerMessage;
import dev.tenure.peers.connection.PeerMessage.LeaderRecord;
import dev.tenure.peers.group.AlgorithmAdapter;
import dev.tenure.peers.group.PeersSettings.TimingProfile;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One election at this member: the machine, its timers, and what is known of the holder. It is there as soon as anybody speaks of the
 * election, because this member may have to vote; it stands only while somebody here wants to lead.
 */
final class ElectionInstance {
    final ElectionName election;
    private final Member member;
    private final AlgorithmAdapter rules;
    private final TimingProfile profile;
    final ClaimGrants grants;
    private final Map<String, Host.Timer> timers = new HashMap<>();
    private final Set<Integer> standbys = new HashSet<>();
    private AlgorithmAdapter.Running<?> machine;
    private boolean standing;
    private long resignations;
    private int tries;
    private Optional<Lead> lead = Optional.empty();
    private Optional<Followed> followed = Optional.empty();
    private Optional<LeaderRecord> record = Optional.empty();

    /**
     * This member leads.
     *
     * @param untilNanos as its machine believes
     */
    record Lead(long term, long untilNanos) {}

    /** Another member leads, as its machine heard. */
    private record Followed(int leader, long term, long receivedNanos) {}

    ElectionInstance(ElectionName election, Member member) {
        this.election = election;
        this.member = member;
        this.rules = member.settings.rules();
        this.profile = member.settings.profile();
        this.grants = new ClaimGrants(this, member);
        this.machine = rules.machine(member.settings.membership().group(), profile);
    }

    /** The machine counts as having heard a leader when this process began: it may have answered one before. */
    void start(Ballot ballot) {
        if (rules.hasTerms()) {
            run(machine.on(new Event.Started(Optional.of(rules.restored(ballot))), member.startNanos), false);
            member.suspected.forEach(peer -> contactFrom(peer, false));
        }
    }

    Optional<Lead> lead() {
        return lead;
    }

    Optional<LeaderRecord> record() {
        return record;
    }

    boolean isStanding() {
        return standing;
    }

    /** Since when a majority is known to hold others off: what the leader sent then has been answered. */
    long confirmedNanos() {
        return lead.map(now -> now.untilNanos() == Effect.FOREVER
                        ? Long.MAX_VALUE
                        : now.untilNanos() - profile.lease().toNanos())
                .orElse(Long.MIN_VALUE);
    }

    void received(int from, Message message) {
        if (!rules.hasTerms() && !standing) {
            return;
        }
        boolean leaderResigns = AlgorithmAdapter.isResignation(message)
                && followed.filter(one -> one.leader() == from).isPresent();
        run(
                machine.on(new Event.Received(from, message), member.host.nanos()),
                AlgorithmAdapter.isAboutNobody(message));
        if (leaderResigns && followed.isEmpty() && standing && isFirstInLineAfter(from)) {
            // They may not have heard it from the leader, whose process may be gone by now; and they vote for nobody
            // before.
            member.sendAll(new PeerMessage.AlgorithmMessage(election, message));
            fire(rules.campaignTimer());
        }
    }

    /** When a leader resigns, the member with the lowest number of those that wait begins at once. */
    private boolean isFirstInLineAfter(int leader) {
        return standbys.stream()
                .filter(member.connections::containsKey)
                .noneMatch(peer -> peer != leader && peer < member.me());
    }

    void stands(int peer, boolean yes) {
        boolean changed = yes ? standbys.add(peer) : standbys.remove(peer);
        if (changed && !rules.hasTerms() && standing) {
            handle(yes ? new Event.Recovered(peer) : new Event.Suspected(peer));
        }
    }

    /** Of the failure detector. A member that does not stand counts as dead where the highest id has to lead. */
    void contactFrom(int peer, boolean alive) {
        boolean concerns =
                rules == AlgorithmAdapter.QUORUM || (standing && !rules.hasTerms() && standbys.contains(peer));
        if (concerns) {
            handle(alive ? new Event.Recovered(peer) : new Event.Suspected(peer));
        }
    }

    /** Keeps what is newer than what it has. */
    void keep(LeaderRecord told) {
        if (record.map(told::isNewerThan).orElse(true)) {
            record = Optional.of(told);
            member.changed(election);
        }
    }

    /** The holder, if it leads now as far as this member can tell. */
    Optional<LeaderRecord> alive() {
        return record.filter(held -> held.fate() == LeaderRecord.Fate.HELD).filter(this::isAlive);
    }

    private boolean isAlive(LeaderRecord held) {
        if (member.settings.membership().isMe(held.member())) {
            return grants.holds(held.token());
        }
        if (!rules.hasTerms()) {
            return !member.suspected.contains(held.member());
        }
        return hasLeaderContact(profile.electionMax())
                && followed.filter(one -> one.leader() == held.member()
                                && one.term() == held.token().sequence())
                        .isPresent();
    }

    private boolean hasLeaderContact(Duration within) {
        return followed.filter(one -> member.host.nanos() - one.receivedNanos() < within.toNanos())
                .isPresent();
    }

    void stand() {
        if (standing) {
            // A campaign that is under way is not begun anew: it would only disturb itself.
            if (lead.isPresent() || !timers.containsKey(rules.campaignTimer())) {
                campaign();
            }
            return;
        }
        standing = true;
        member.sendAll(new PeerMessage.Stands(election, true));
        if (!rules.hasTerms()) {
            machine = rules.machine(member.settings.membership().group(), profile);
            member.settings.membership().others().stream()
                    .filter(peer -> !standbys.contains(peer.id()) || member.suspected.contains(peer.id()))
                    .forEach(peer -> handle(new Event.Suspected(peer.id())));
        }
        campaign();
    }

    /** Begins to stand at once, unless it knows a leader. */
    void campaign() {
        if (lead.isPresent()) {
            grants.next();
        } else if (!rules.hasTerms()) {
            handle(new Event.Called());
        } else if (hasLeaderContact(profile.electionMin())) {
            arm(profile.electionTimer(rules.campaignTimer()));
        } else {
            fire(rules.campaignTimer());
        }
    }

    void standDown() {
        if (standing) {
            standing = false;
            member.sendAll(new PeerMessage.Stands(election, false));
            if (rules.hasTerms()) {
                withdraw();
                cancel(rules.campaignTimer());
            } else {
                cancelAll();
                lead = Optional.empty();
                followed = Optional.empty();
            }
        }
    }

    /** Stops to lead: one of those that wait elsewhere is next, or else of those that wait here. */
    void resign() {
        if (lead.isEmpty() || !rules.hasTerms()) {
            return; // without terms, who has the highest id leads as long as it stands
        }
        withdraw();
        if (grants.isWanted() && standbys.stream().noneMatch(member.connections::containsKey)) {
            fire(rules.campaignTimer());
        }
    }

    /** Asks a majority whether it still leads. */
    void beat() {
        if (!rules.beatTimer().isEmpty()) {
            fire(rules.beatTimer());
        }
    }

    private void fire(String timer) {
        cancel(timer);
        run(machine.on(new Event.TimerFired(timer), member.host.nanos()), true);
    }

    private void handle(Event event) {
        run(machine.on(event, member.host.nanos()), false);
    }

    /**
     * The candidate that wants to lead is notified when all effects are done: it may resign at once, and then nothing of this step may be
     * said after that.
     *
     * @param soon is the timer of the campaign to be set for soon, because nobody leads?
     */
    private void run(List<Effect> effects, boolean soon) {
        List<Runnable> afterwards = new ArrayList<>();
        for (Effect effect : effects) {
            if (effect instanceof Effect.Send send) {
                member.send(send.to(), new PeerMessage.AlgorithmMessage(election, send.message()));
            } else if (effect instanceof Effect.SetTimer set) {
                set(set, soon);
            } else if (effect instanceof Effect.CancelTimer cancelled) {
                cancel(cancelled.timer());
            } else if (effect instanceof Effect.Persist persist) {
                persist(persist);
            } else if (effect instanceof Effect.Lead now) {
                tries = 0;
                lead = Optional.of(new Lead(now.term(), now.untilNanos()));
                followed = Optional.empty();
                afterwards.add(grants::leads);
            } else if (effect instanceof Effect.Follow follow) {
                ended(afterwards);
                tries = 0;
                followed = Optional.of(new Followed(follow.leader(), follow.term(), member.host.nanos()));
            } else if (effect instanceof Effect.Undecided) {
                ended(afterwards);
                followed = Optional.empty();
            }
        }
        afterwards.forEach(Runnable::run);
    }

    /** What was to be said in order to lead is not said once nobody wants to: others would be bound by votes for nothing. */
    private void persist(Effect.Persist persist) {
        long wishes = resignations;
        member.journal.save(election, AlgorithmAdapter.ballot(persist.saved()), () -> {
            boolean wanted = wishes == resignations;
            run(
                    persist.then().stream()
                            .filter(then -> wanted || !AlgorithmAdapter.isBid(then))
                            .toList(),
                    false);
        });
    }

    private void withdraw() {
        resignations++;
        handle(new Event.Resigned());
    }

    private void ended(List<Runnable> afterwards) {
        if (lead.isPresent()) {
            lead = Optional.empty();
            afterwards.add(grants::lost);
        }
    }

    private void set(Effect.SetTimer wanted, boolean soon) {
        boolean campaigns = wanted.timer().equals(rules.campaignTimer());
        if (campaigns && !standing) {
            cancel(wanted.timer());
            return;
        }
        long soonNanos = campaigns && soon ? profile.retryNanos(tries++) : 0;
        arm(soonNanos == 0 ? wanted : new Effect.SetTimer(wanted.timer(), soonNanos, 2 * soonNanos));
    }

    void close() {
        cancelAll();
    }

    // --- the timers of the machine, by name; chance comes from the host

    private void arm(Effect.SetTimer wanted) {
        String timer = wanted.timer();
        cancel(timer);
        long spanNanos = wanted.maxNanos() - wanted.minNanos();
        long chanceNanos = spanNanos == 0 ? 0 : Math.floorMod(member.host.random(), spanNanos);
        long atNanos = member.host.nanos() + wanted.minNanos() + chanceNanos;
        timers.put(timer, member.host.wakeAt(atNanos, () -> fire(timer)));
    }

    private void cancel(String timer) {
        Optional.ofNullable(timers.remove(timer)).ifPresent(Host.Timer::cancel);
    }

    private void cancelAll() {
        timers.values().forEach(Host.Timer::cancel);
        timers.clear();
    }
}
