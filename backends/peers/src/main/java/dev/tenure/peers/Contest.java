package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Event;
import dev.tenure.algorithms.Message;
import dev.tenure.algorithms.raft.RaftMessage;
import dev.tenure.spi.Host;
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
final class Contest {
    private static final int RETRIES_PER_TIMEOUT = 10;

    private final ElectionName election;
    private final Member member;
    private final Rules rules;
    private final Profile profile;
    private final Seat seat;
    private final Map<String, Host.Timer> timers = new HashMap<>();
    private final Set<Integer> standbys = new HashSet<>();
    private Rules.Running<?> machine;
    private boolean standing;
    private Optional<Lead> lead = Optional.empty();
    private Optional<Followed> followed = Optional.empty();
    private Optional<Holding> holding = Optional.empty();

    /** This member leads. @param untilNanos as its machine believes */
    record Lead(long term, long untilNanos) {}

    private record Followed(int leader, long term, long heardNanos) {}

    Contest(ElectionName election, Member member) {
        this.election = election;
        this.member = member;
        this.rules = member.settings().rules();
        this.profile = member.settings().profile();
        this.seat = new Seat(this, member);
        this.machine = rules.machine(member.settings().membership().group(), profile);
    }

    /** The machine counts as having heard a leader when this process began: it may have answered one before. */
    void start(Ballot ballot) {
        if (rules.hasTerms()) {
            run(machine.on(new Event.Started(rules.restored(ballot)), member.startNanos()), false);
        }
    }

    ElectionName election() {
        return election;
    }

    Seat seat() {
        return seat;
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

    boolean isLeaseValid() {
        return lead.isPresent() && member.host().nanos() < lead.get().untilNanos();
    }

    // --- what the group says

    void received(int from, Message message) {
        boolean deaf = !rules.hasTerms() && !standing;
        boolean resigned = message instanceof RaftMessage.Resigned || message instanceof LeaseMessage.Left;
        if (!deaf) {
            // Somebody else may have been asked to be next; if that one does not come, it is not waited for as for a
            // leader.
            run(machine.on(new Event.Received(from, message), member.host().nanos()), resigned);
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

    /** The leader of that term leads no longer and wants this member to be next: nobody has to wait for its lease. */
    void takeTurn(long term) {
        Message left = rules == Rules.RAFT
                ? new RaftMessage.Resigned(term)
                : new LeaseMessage.Left(term, member.host().nanos());
        // Before anything else that they hear from here: they may not have heard it from the leader yet.
        member.outbox().sendAll(new Item.Said(election, left));
        if (standing && lead.isEmpty()) {
            fire(rules.campaignTimer());
        }
    }

    /** Keeps what is newer than what it has. */
    void keep(Holding told) {
        boolean newer = holding.map(told::isNewerThan).orElse(true);
        if (newer) {
            holding = Optional.of(told);
            member.changed(election);
            seat.tellWaiting();
        }
    }

    /** The holder, if it leads now as far as this member can tell. */
    Optional<Holding> alive() {
        return holding.filter(held -> held.fate() == Holding.Fate.HELD).filter(this::isAlive);
    }

    private boolean isAlive(Holding held) {
        if (member.settings().membership().isMe(held.member())) {
            return seat.holds(held.token());
        }
        if (!rules.hasTerms()) {
            return !member.isSuspected(held.member());
        }
        return followed.filter(one -> one.leader() == held.member()
                        && one.term() == held.token().sequence()
                        && member.host().nanos() - one.heardNanos()
                                < profile.electionMax().toNanos())
                .isPresent();
    }

    // --- what this member wants

    void stand() {
        if (!standing) {
            standing = true;
            member.outbox().sendAll(new Item.Stands(election, true));
            if (!rules.hasTerms()) {
                machine = rules.machine(member.settings().membership().group(), profile);
                member.settings().membership().others().stream()
                        .filter(peer -> !standbys.contains(peer.id()) || member.isSuspected(peer.id()))
                        .forEach(peer -> handle(new Event.Suspected(peer.id())));
            }
            campaign();
        }
    }

    /** Begins to stand at once, unless it knows a leader. */
    void campaign() {
        if (lead.isPresent()) {
            seat.next();
        } else if (!rules.hasTerms()) {
            handle(new Event.Called());
        } else if (hearsLeader()) {
            set(
                    new Effect.SetTimer(
                            rules.campaignTimer(),
                            profile.electionMin().toNanos(),
                            profile.electionMax().toNanos()),
                    false);
        } else {
            fire(rules.campaignTimer());
        }
    }

    private boolean hearsLeader() {
        return followed.filter(one -> member.host().nanos() - one.heardNanos()
                        < profile.electionMin().toNanos())
                .isPresent();
    }

    void standDown() {
        if (standing) {
            standing = false;
            member.outbox().sendAll(new Item.Stands(election, false));
            if (rules.hasTerms()) {
                handle(new Event.Resigned());
                cancel(rules.campaignTimer());
            } else {
                List.copyOf(timers.keySet()).forEach(this::cancel);
                lead = Optional.empty();
                followed = Optional.empty();
            }
        }
    }

    /** Stops to lead, and hands over to somebody who waits. */
    void resign() {
        if (lead.isEmpty()) {
            return;
        }
        long term = lead.get().term();
        if (!rules.hasTerms()) {
            return; // who has the highest id leads as long as it stands
        }
        handle(new Event.Resigned());
        Optional<Integer> successor = standbys.stream()
                .filter(member.outbox().reached()::contains)
                .sorted()
                .findFirst();
        if (successor.isPresent()) {
            member.outbox().send(successor.get(), new Item.YourTurn(election, term));
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

    // --- the machine

    private void fire(String timer) {
        cancel(timer);
        run(machine.on(new Event.TimerFired(timer), member.host().nanos()), true);
    }

    private void handle(Event event) {
        run(machine.on(event, member.host().nanos()), false);
    }

    /** @param soon is the timer of the campaign to be set for soon, because nobody leads? */
    private void run(List<Effect> effects, boolean soon) {
        for (Effect effect : effects) {
            if (effect instanceof Effect.Send send) {
                member.outbox().send(send.to(), new Item.Said(election, send.message()));
            } else if (effect instanceof Effect.SetTimer set) {
                set(set, soon);
            } else if (effect instanceof Effect.CancelTimer cancelled) {
                cancel(cancelled.timer());
            } else if (effect instanceof Effect.Persist persist) {
                member.journal().save(election, Rules.ballot(persist.saved()), () -> run(persist.then(), false));
            } else if (effect instanceof Effect.Lead now) {
                lead = Optional.of(new Lead(now.term(), now.untilNanos()));
                followed = Optional.empty();
                seat.leads();
            } else if (effect instanceof Effect.Follow follow) {
                ended();
                followed = Optional.of(new Followed(
                        follow.leader(), follow.term(), member.host().nanos()));
                seat.tellWaiting();
            } else if (effect instanceof Effect.Undecided) {
                ended();
                followed = Optional.empty();
            }
        }
    }

    private void ended() {
        if (lead.isPresent()) {
            lead = Optional.empty();
            seat.lost();
        }
    }

    private void set(Effect.SetTimer wanted, boolean retry) {
        String timer = wanted.timer();
        cancel(timer);
        boolean campaigns = timer.equals(rules.campaignTimer());
        if (campaigns && !standing) {
            return;
        }
        boolean soon = campaigns && retry;
        long minNanos = soon ? profile.electionMin().toNanos() / RETRIES_PER_TIMEOUT : wanted.minNanos();
        long maxNanos = soon ? 2 * minNanos : wanted.maxNanos();
        long nowNanos = member.host().nanos();
        long atNanos = nowNanos + minNanos;
        if (maxNanos > minNanos) {
            atNanos += Math.floorMod(member.host().random(), maxNanos - minNanos);
        } else if (timer.equals(rules.beatTimer())) {
            atNanos = member.nextBeat(nowNanos);
        }
        timers.put(timer, member.host().wakeAt(atNanos, () -> fire(timer)));
    }

    private void cancel(String timer) {
        Optional.ofNullable(timers.remove(timer)).ifPresent(Host.Timer::cancel);
    }

    void close() {
        List.copyOf(timers.keySet()).forEach(this::cancel);
    }
}
