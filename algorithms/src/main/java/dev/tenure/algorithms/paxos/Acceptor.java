// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.paxos;

import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.Step;
import dev.tenure.algorithms.paxos.PaxosMessage.Accept;
import dev.tenure.algorithms.paxos.PaxosMessage.Accepted;
import dev.tenure.algorithms.paxos.PaxosMessage.Decided;
import dev.tenure.algorithms.paxos.PaxosMessage.Nack;
import dev.tenure.algorithms.paxos.PaxosMessage.Prepare;
import dev.tenure.algorithms.paxos.PaxosMessage.Promise;
import dev.tenure.algorithms.paxos.PaxosState.Following;
import dev.tenure.algorithms.paxos.PaxosState.Leading;
import dev.tenure.algorithms.paxos.PaxosState.Saved;
import java.util.List;
import java.util.Optional;

/**
 * The acceptor's part of {@link Paxos}. It is asked only about the open epoch: about an older one it tells the decision. All that it says
 * is on the disk before.
 */
final class Acceptor {
    private final Group group;

    Acceptor(Group group) {
        this.group = group;
    }

    Step<PaxosState> onPrepare(PaxosState state, int from, Prepare prepare) {
        if (prepare.epoch() < state.open()) {
            return Step.to(state, decided(state, from));
        }
        if (trustsAnother(state, from)
                || prepare.ballot().compareTo(state.saved().promised()) < 0) {
            return Step.to(state, refuse(state, from, prepare.ballot()));
        }
        Saved promised = new Saved(
                state.saved().epoch(),
                state.saved().leader(),
                prepare.ballot(),
                state.saved().accepted());
        Promise promise = new Promise(prepare.epoch(), prepare.ballot(), promised.accepted());
        return Step.to(state.with(promised), new Effect.Persist(promised, List.of(new Effect.Send(from, promise))));
    }

    Step<PaxosState> onAccept(PaxosState state, int from, Accept accept) {
        if (accept.epoch() < state.open()) {
            return Step.to(state, decided(state, from));
        }
        Ballot ballot = accept.proposal().ballot();
        if (accept.epoch() > state.open()) {
            return Step.to(state); // it missed a decision, and the next Prepare will bring it
        }
        if (ballot.compareTo(state.saved().promised()) < 0) {
            return Step.to(state, refuse(state, from, ballot));
        }
        Saved accepted =
                new Saved(state.saved().epoch(), state.saved().leader(), ballot, Optional.of(accept.proposal()));
        Accepted answer = new Accepted(accept.epoch(), ballot);
        return Step.to(state.with(accepted), new Effect.Persist(accepted, List.of(new Effect.Send(from, answer))));
    }

    /** The cure for restless proposers: who has a leader that lives helps nobody but that one to a new epoch. */
    private boolean trustsAnother(PaxosState state, int from) {
        if (state.standing() instanceof Leading) {
            return from != group.me();
        }
        return state.standing() instanceof Following following
                && following.leader() != from
                && !state.suspected().contains(following.leader());
    }

    private static Effect decided(PaxosState state, int to) {
        return new Effect.Send(
                to, new Decided(state.saved().epoch(), state.saved().leader(), false));
    }

    private static Effect refuse(PaxosState state, int to, Ballot ballot) {
        return new Effect.Send(to, new Nack(state.open(), ballot, state.saved().promised()));
    }
}
