package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Event;
import dev.tenure.algorithms.Message;
import dev.tenure.algorithms.quorum.QuorumState.Ballot;
import dev.tenure.algorithms.raft.RaftMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One election at this member: the machine, its timers, and what is known of the holder. It is there as soon as anybody speaks of the
 * election, because this member may have to vote; it stands only while somebody here wants to lead.
 */
final class Contest {
    final ElectionName election;
    private final Member member;
    private final Rules rules;
    private final Profile profile;
    final Seat seat;
    private final Timers timers;
    private final Set<Integer> standbys = new HashSet<>();
    private Rules.Running<?> machine;
    private boolean standing;
    private long resignations;
    private int tries;
    private Optional<Lead> lead = Optional.empty();
    private Optional<Followed> followed = Optional.empty();
    private Optional<Holding> holding = Optional.empty();

    /**
     * This member leads.
     *
     * @param untilNanos as its machine believes
     */
    record Lead(long term, long untilNanos) {}

    /** Another member leads, as its machine heard. */
    private record Followed(int leader, long term, long heardNanos) {}

    Contest(ElectionName election, Member member) {
        this.election = election;
        this.member = member;
        this.rules = member.settings.rules();
        this.profile = member.settings.profile();
        this.seat = new Seat(this, member);
        this.timers = new Timers(member.host, this::fire);
        this.machine = rules.machine(member.settings.membership().group(), profile);
    }

    /** The machine counts as having heard a leader when this process began: it may have answered one before. */
    void start(Ballot ballot) {
        if (rules.hasTerms()) {
            run(machine.on(new Event.Started(Optional.of(rules.restored(ballot))), member.startNanos), false);
            member.suspected.forEach(peer -> heard(peer, false));
        }
    }

    Optional<Lead> lead() {
        return lead;
    }

    Optional<Holding> holding() {
        return holding;
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
        boolean deaf = !rules.hasTerms() && !standing;
        if (!deaf) {
            run(machine.on(new Event.Received(from, message), member.host.nanos()), Rules.isAboutNobody(message));
        }
    }

    void stands(int peer, boolean yes) {
        boolean changed = yes ? standbys.add(peer) : standbys.remove(peer);
        if (changed && !rules.hasTerms() && standing) {
            handle(yes ? new Event.Recovered(peer) : new Event.Suspected(peer));
        }
    }

    /** Of the failure detector. Whoever does not stand counts as dead where the highest id has to lead. */
    void heard(int peer, boolean alive) {
        boolean concerns = rules == Rules.QUORUM || (standing && !rules.hasTerms() && standbys.contains(peer));
        if (concerns) {
            handle(alive ? new Event.Recovered(peer) : new Event.Suspected(peer));
        }
    }

    /** That member leads that term no longer and wants this one to be next: nobody has to wait for its lease. */
    void takeTurn(int leader, long term) {
        Message left =
                rules == Rules.RAFT ? new RaftMessage.Resigned(term, leader) : new LeaseMessage.Left(term, leader);
        // Before anything else that they hear from here: they may not have heard it from the leader yet.
        member.sendAll(new PeerMessage.Said(election, left));
        if (standing && lead.isEmpty()) {
            fire(rules.campaignTimer());
        }
    }

    /** Keeps what is newer than what it has. */
    void keep(Holding told) {
        if (holding.map(told::isNewerThan).orElse(true)) {
            holding = Optional.of(told);
            member.changed(election);
        }
    }

    /** The holder, if it leads now as far as this member can tell. */
    Optional<Holding> alive() {
        return holding.filter(held -> held.fate() == Holding.Fate.HELD).filter(this::isAlive);
    }

    private boolean isAlive(Holding held) {
        if (member.settings.membership().isMe(held.member())) {
            return seat.holds(held.token());
        }
        if (!rules.hasTerms()) {
            return !member.suspected.contains(held.member());
        }
        return hearsLeader(profile.electionMax())
                && followed.filter(one -> one.leader() == held.member()
                                && one.term() == held.token().sequence())
                        .isPresent();
    }

    private boolean hearsLeader(Duration within) {
        return followed.filter(one -> member.host.nanos() - one.heardNanos() < within.toNanos())
                .isPresent();
    }

    void stand() {
        if (standing) {
            // A campaign that is under way is not begun anew: it would only disturb itself.
            if (lead.isPresent() || !timers.isSet(rules.campaignTimer())) {
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
            seat.next();
        } else if (!rules.hasTerms()) {
            handle(new Event.Called());
        } else if (hearsLeader(profile.electionMin())) {
            timers.set(profile.electionTimer(rules.campaignTimer()));
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
                timers.cancel(rules.campaignTimer());
            } else {
                timers.cancelAll();
                lead = Optional.empty();
                followed = Optional.empty();
            }
        }
    }

    /** Stops to lead, and hands over to somebody who waits. */
    void resign() {
        if (lead.isEmpty() || !rules.hasTerms()) {
            return; // without terms, who has the highest id leads as long as it stands
        }
        long term = lead.get().term();
        withdraw();
        Optional<Integer> successor = standbys.stream()
                .filter(member.connections::containsKey)
                .sorted()
                .findFirst();
        if (successor.isPresent()) {
            member.send(successor.get(), new PeerMessage.YourTurn(election, term));
        } else if (seat.isWanted()) {
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
        timers.cancel(timer);
        run(machine.on(new Event.TimerFired(timer), member.host.nanos()), true);
    }

    private void handle(Event event) {
        run(machine.on(event, member.host.nanos()), false);
    }

    /**
     * Whoever wants the seat hears of it when all effects are done: it may resign at once, and then nothing of this step may be said after
     * that.
     *
     * @param soon is the timer of the campaign to be set for soon, because nobody leads?
     */
    private void run(List<Effect> effects, boolean soon) {
        List<Runnable> afterwards = new ArrayList<>();
        for (Effect effect : effects) {
            if (effect instanceof Effect.Send send) {
                member.send(send.to(), new PeerMessage.Said(election, send.message()));
            } else if (effect instanceof Effect.SetTimer set) {
                set(set, soon);
            } else if (effect instanceof Effect.CancelTimer cancelled) {
                timers.cancel(cancelled.timer());
            } else if (effect instanceof Effect.Persist persist) {
                persist(persist);
            } else if (effect instanceof Effect.Lead now) {
                tries = 0;
                lead = Optional.of(new Lead(now.term(), now.untilNanos()));
                followed = Optional.empty();
                afterwards.add(seat::leads);
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
        member.journal.save(election, Rules.ballot(persist.saved()), () -> {
            boolean wanted = wishes == resignations;
            run(
                    persist.then().stream()
                            .filter(then -> wanted || !Rules.isBid(then))
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
            afterwards.add(seat::lost);
        }
    }

    private void set(Effect.SetTimer wanted, boolean soon) {
        boolean campaigns = wanted.timer().equals(rules.campaignTimer());
        if (campaigns && !standing) {
            timers.cancel(wanted.timer());
            return;
        }
        long soonNanos = campaigns && soon ? profile.retryNanos(tries++) : 0;
        timers.set(soonNanos == 0 ? wanted : new Effect.SetTimer(wanted.timer(), soonNanos, 2 * soonNanos));
    }

    void close() {
        timers.cancelAll();
    }
}
