// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.paxos;

import static dev.tenure.algorithms.Effect.FOREVER;
import static dev.tenure.algorithms.Effect.LEADER;

import dev.tenure.algorithms.Description;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Event;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.Machine;
import dev.tenure.algorithms.Step;
import dev.tenure.algorithms.Suspects;
import dev.tenure.algorithms.paxos.PaxosMessage.Accept;
import dev.tenure.algorithms.paxos.PaxosMessage.Accepted;
import dev.tenure.algorithms.paxos.PaxosMessage.Decided;
import dev.tenure.algorithms.paxos.PaxosMessage.Nack;
import dev.tenure.algorithms.paxos.PaxosMessage.Prepare;
import dev.tenure.algorithms.paxos.PaxosMessage.Promise;
import dev.tenure.algorithms.paxos.PaxosSettings.Duels;
import dev.tenure.algorithms.paxos.PaxosState.Accepting;
import dev.tenure.algorithms.paxos.PaxosState.Following;
import dev.tenure.algorithms.paxos.PaxosState.Leading;
import dev.tenure.algorithms.paxos.PaxosState.Preparing;
import dev.tenure.algorithms.paxos.PaxosState.Proposal;
import dev.tenure.algorithms.paxos.PaxosState.Saved;
import dev.tenure.algorithms.paxos.PaxosState.Waiting;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Single-decree Paxos (Lamport, 1998) for each epoch: the members agree on who leads it. A node that misses its leader proposes itself
 * for the next epoch; the leader of an epoch never changes, only the epoch does.
 *
 * <p>A Decided or Prepare that knows of a newer decision first brings the node there; then, for the open epoch:
 *
 * <pre>
 * event \ standing   | Waiting          | Preparing           | Accepting           | Following i           | Leading
 * -------------------+------------------+---------------------+---------------------+-----------------------+--------------
 * Called             | set the wait     | –                   | –                   | –                     | –
 * stand runs out     | a higher ballot than any seen: Prepare to all; Preparing     | –                     | –
 * Prepare, Accept    | answer as {@link Acceptor}, in every standing
 * Promise, my ballot | –                | a majority: Accept  | –                   | –                     | –
 *                    |                  | of what was accepted with the highest ballot, or of myself
 * Accepted, my ballot| –                | –                   | a majority: Decided | –                     | –
 * Nack, outbid       | –                | Waiting, longer     | Waiting, longer     | –                     | –
 * Decided, newer     | follow it, or lead if it is me; Waiting if it is suspected
 * Decided, the newest| follow, if it is the leader's own word and not me           | set silence anew      | –
 * Decided, older     | tell the newer, if it is that leader's own word
 * announce fires     | –                | –                   | –                   | –                     | Decided to all
 * silence runs out   | –                | –                   | –                   | Waiting               | –
 * Suspected j        | –                | –                   | –                   | Waiting, if j is i    | Waiting, if a majority is
 * Recovered j        | –                | –                   | –                   | –                     | Decided to j
 * </pre>
 *
 * <p>A follower listens for its leader's word, and not only for a sign of life: a leader that crashed, was back at once and has lost
 * the decision from its disk lives, but does not lead.
 *
 * <p>One value in an epoch: a proposal that a majority accepted is seen by every later ballot, because that asks a majority first, and two of
 * those share a node, whose disk remembers. No ballot is used twice, for a proposer promises it to itself, on the disk, before anybody
 * hears of it. A node that is brought to a newer decision forgets its promises for older epochs; it may,
 * for it answers nothing about them any more.
 */
public final class Paxos implements Machine<PaxosState> {
    public static final Description DESCRIPTION = new Description(
            "Paxos",
            "Lamport, 1998",
            "For every epoch the members agree on who leads it. A proposer asks a majority to promise its ballot; it then"
                    + " proposes what was accepted with the highest ballot so far, or itself; what a majority accepts is"
                    + " decided. Two proposers can outbid each other without end: random back-off that doubles, and acceptors"
                    + " that stand by a living leader, cure that.",
            List.of(
                    "the membership is fixed and known",
                    "a disk that keeps what it has confirmed: promise, proposal, decision",
                    "for progress only: a majority that lives, and in the end one proposer that is left alone for two round"
                            + " trips"),
            List.of(
                    "at most one leader of an epoch, under any loss, delay, partition, pause and crash",
                    "a minority decides nothing",
                    "epochs grow, so that a resource can refuse the old leader's writes"),
            List.of(
                    "one leader at a time: an old one believes until it hears of the new epoch or misses its majority",
                    "that the one who is decided on still lives: then the next epoch follows",
                    "an end: duelling proposers, without back-off for ever"),
            "4(n - 1) messages for a proposer that is not disturbed, and n - 1 to tell the decision");

    private static final String STAND = "stand";
    private static final String ANNOUNCE = "announce";
    private static final String SILENCE = "silence";
    private static final int ANNOUNCEMENTS_MISSED_MAX = 5;
    private static final int DOUBLINGS_MAX = 5;

    private final Group group;
    private final PaxosSettings settings;
    private final Acceptor acceptor;

    public Paxos(Group group, PaxosSettings settings) {
        this.group = group;
        this.settings = settings;
        this.acceptor = new Acceptor(group);
    }

    @Override
    public PaxosState initial() {
        return new PaxosState(Saved.decided(0, 0), new Waiting(0), 0, Suspects.NONE);
    }

    @Override
    public Step<PaxosState> on(PaxosState before, Event event, long nowNanos) {
        PaxosState state = new PaxosState(
                before.saved(), before.standing(), before.round(), Suspects.after(before.suspected(), event));
        if (event instanceof Event.Started started) {
            return Step.to(
                    started.saved().map(saved -> state.with((Saved) saved)).orElse(state));
        }
        if (event instanceof Event.Called && state.standing() instanceof Waiting) {
            return Step.to(state, pause(0));
        }
        if (event instanceof Event.Received received && received.message() instanceof PaxosMessage message) {
            return onMessage(state, received.from(), message);
        }
        if (event instanceof Event.TimerFired fired) {
            return onTimer(state, fired.timer());
        }
        if (event instanceof Event.Suspected gone) {
            return onSuspected(state, gone.peer());
        }
        if (event instanceof Event.Recovered back && state.standing() instanceof Leading) {
            return Step.to(state, new Effect.Send(back.peer(), own(state, true)));
        }
        return Step.to(state);
    }

    private Step<PaxosState> onTimer(PaxosState state, String timer) {
        boolean settled = state.standing() instanceof Following || state.standing() instanceof Leading;
        if (timer.equals(STAND) && !settled) {
            return propose(state, state.tries());
        }
        if (timer.equals(ANNOUNCE) && state.standing() instanceof Leading) {
            return Step.to(state, announcement(state, true));
        }
        return timer.equals(SILENCE) && state.standing() instanceof Following ? await(state) : Step.to(state);
    }

    private Step<PaxosState> propose(PaxosState state, int tries) {
        Ballot ballot = new Ballot(state.round() + 1, group.me());
        Saved own = new Saved(
                state.saved().epoch(),
                state.saved().leader(),
                ballot,
                state.saved().accepted());
        Prepare prepare = new Prepare(state.open(), ballot, own.leader());
        return Step.to(
                state.with(own).to(new Preparing(ballot, Map.of(), tries)),
                new Effect.Persist(own, Group.send(group.ring(), prepare)),
                pause(tries),
                new Effect.Undecided(LEADER, own.epoch()));
    }

    private Step<PaxosState> onMessage(PaxosState state, int from, PaxosMessage message) {
        if (message instanceof Decided decided) {
            return onDecided(state, from, decided);
        }
        if (message instanceof Prepare prepare) {
            if (prepare.epoch() <= state.open()) {
                return acceptor.onPrepare(state, from, prepare);
            }
            Step<PaxosState> caughtUp = adopt(state, prepare.epoch() - 1, prepare.before());
            return then(caughtUp, acceptor.onPrepare(caughtUp.state(), from, prepare));
        }
        if (message instanceof Accept accept) {
            return acceptor.onAccept(state, from, accept);
        }
        return message.epoch() == state.open() ? onAnswer(state, from, message) : Step.to(state);
    }

    private static Step<PaxosState> then(Step<PaxosState> first, Step<PaxosState> second) {
        List<Effect> effects = new ArrayList<>(first.effects());
        effects.addAll(second.effects());
        return Step.to(second.state(), effects);
    }

    private Step<PaxosState> onAnswer(PaxosState state, int from, PaxosMessage message) {
        if (message instanceof Promise promise
                && state.standing() instanceof Preparing preparing
                && promise.ballot().equals(preparing.ballot())) {
            return promised(state, preparing, from, promise);
        }
        if (message instanceof Accepted accepted
                && state.standing() instanceof Accepting accepting
                && accepted.ballot().equals(accepting.proposal().ballot())) {
            return accepted(state, accepting, from);
        }
        if (message instanceof Nack nack && isOutbid(state, nack)) {
            return outbid(state, nack);
        }
        return Step.to(state);
    }

    private Step<PaxosState> promised(PaxosState state, Preparing preparing, int from, Promise promise) {
        Map<Integer, Optional<Proposal>> promises = new TreeMap<>(preparing.promises());
        promises.put(from, promise.accepted());
        if (promises.size() < group.majority()) {
            return Step.to(state.to(new Preparing(preparing.ballot(), promises, preparing.tries())));
        }
        int leader = promises.values().stream()
                .flatMap(Optional::stream)
                .max(Comparator.comparing(Proposal::ballot))
                .map(Proposal::leader)
                .orElse(group.me());
        Proposal proposal = new Proposal(preparing.ballot(), leader);
        return Step.to(
                state.to(new Accepting(proposal, Set.of(), preparing.tries())),
                Group.send(group.ring(), new Accept(state.open(), proposal)));
    }

    private Step<PaxosState> accepted(PaxosState state, Accepting accepting, int from) {
        Set<Integer> accepted = Suspects.with(accepting.accepted(), from);
        if (accepted.size() < group.majority()) {
            return Step.to(state.to(new Accepting(accepting.proposal(), accepted, accepting.tries())));
        }
        long epoch = state.open();
        int leader = accepting.proposal().leader();
        Step<PaxosState> adopted = adopt(state, epoch, leader);
        return leader == group.me()
                ? adopted
                : then(
                        adopted,
                        Step.to(adopted.state(), Group.send(group.others(), new Decided(epoch, leader, false))));
    }

    private static boolean isOutbid(PaxosState state, Nack nack) {
        return ballot(state).filter(nack.ballot()::equals).isPresent()
                && nack.promised().compareTo(nack.ballot()) > 0;
    }

    private static Optional<Ballot> ballot(PaxosState state) {
        if (state.standing() instanceof Preparing preparing) {
            return Optional.of(preparing.ballot());
        }
        return state.standing() instanceof Accepting accepting
                ? Optional.of(accepting.proposal().ballot())
                : Optional.empty();
    }

    private Step<PaxosState> outbid(PaxosState state, Nack nack) {
        int tries = state.tries() + 1;
        PaxosState beaten = new PaxosState(
                state.saved(),
                new Waiting(tries),
                Math.max(state.round(), nack.promised().round()),
                state.suspected());
        return settings.duels() == Duels.FIGHT ? propose(beaten, tries) : Step.to(beaten, pause(tries));
    }

    private Step<PaxosState> onDecided(PaxosState state, int from, Decided decided) {
        if (decided.epoch() > state.saved().epoch()) {
            return adopt(state, decided.epoch(), decided.leader());
        }
        boolean itsOwnWord = decided.leader() == from;
        if (decided.epoch() < state.saved().epoch()) {
            Decided newer = new Decided(state.saved().epoch(), state.saved().leader(), false);
            return itsOwnWord ? Step.to(state, new Effect.Send(from, newer)) : Step.to(state);
        }
        return itsOwnWord && !(state.standing() instanceof Leading) ? heard(state, from) : Step.to(state);
    }

    private Step<PaxosState> heard(PaxosState state, int leader) {
        return state.standing() instanceof Following ? Step.to(state, silence()) : follow(state, leader);
    }

    private Step<PaxosState> adopt(PaxosState before, long epoch, int leader) {
        PaxosState state = new PaxosState(Saved.decided(epoch, leader), new Waiting(0), 0, before.suspected());
        Step<PaxosState> next;
        if (leader == group.me()) {
            List<Effect> effects = new ArrayList<>(List.of(new Effect.CancelTimer(STAND)));
            PaxosState leading = state.to(new Leading());
            effects.add(new Effect.Lead(LEADER, epoch, FOREVER));
            effects.addAll(announcement(leading, false));
            next = Step.to(leading, effects);
        } else {
            next = state.suspected().contains(leader) ? await(state) : follow(state, leader);
        }
        // Nothing of this waits for the disk: what a majority has accepted is decided, whether this node remembers it
        // or not.
        List<Effect> effects = new ArrayList<>(List.of(new Effect.Persist(state.saved(), List.of())));
        effects.addAll(next.effects());
        return Step.to(next.state(), effects);
    }

    private Step<PaxosState> follow(PaxosState state, int leader) {
        return Step.to(
                state.to(new Following(leader)),
                new Effect.CancelTimer(STAND),
                silence(),
                new Effect.Follow(LEADER, leader, state.saved().epoch()));
    }

    private Step<PaxosState> await(PaxosState state) {
        return Step.to(
                state.to(new Waiting(0)),
                new Effect.Undecided(LEADER, state.saved().epoch()),
                pause(0));
    }

    private Step<PaxosState> onSuspected(PaxosState state, int peer) {
        boolean leaderGone = state.standing() instanceof Following following && following.leader() == peer;
        boolean majorityGone = state.standing() instanceof Leading
                && group.size() - state.suspected().size() < group.majority();
        return leaderGone || majorityGone ? await(state) : Step.to(state);
    }

    private List<Effect> announcement(PaxosState state, boolean again) {
        List<Effect> effects = new ArrayList<>(Group.send(group.others(), own(state, again)));
        effects.add(Effect.SetTimer.exactly(ANNOUNCE, settings.announce().toNanos()));
        return effects;
    }

    private Decided own(PaxosState state, boolean again) {
        return new Decided(state.saved().epoch(), group.me(), again);
    }

    private Effect silence() {
        return Effect.SetTimer.exactly(SILENCE, settings.announce().toNanos() * ANNOUNCEMENTS_MISSED_MAX);
    }

    /** Also the time that a proposal has to succeed. */
    private Effect pause(int tries) {
        long spread = settings.standMax().minus(settings.standMin()).toNanos();
        return new Effect.SetTimer(
                STAND,
                settings.standMin().toNanos(),
                settings.standMin().toNanos() + (spread << Math.min(tries, DOUBLINGS_MAX)));
    }
}
