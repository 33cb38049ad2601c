// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.ring;

import dev.tenure.algorithms.Description;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.Step;
import dev.tenure.algorithms.ring.RingMessage.Elected;
import dev.tenure.algorithms.ring.RingMessage.Probe;
import dev.tenure.algorithms.ring.RingMessage.Reply;
import dev.tenure.algorithms.ring.RingMessage.Side;
import dev.tenure.algorithms.ring.RingState.Candidate;
import dev.tenure.algorithms.ring.RingState.Electing;
import dev.tenure.algorithms.ring.RingState.Following;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Hirschberg and Sinclair (1980): a candidate asks its neighbourhood on both sides, twice as far in each phase, and goes on only
 * while nobody in it outranks it. So few are left when it gets far. What it shares with the other rings is in {@link RingMachine}.
 *
 * <pre>
 * event \ standing    | Idle, Following            | Electing  | Candidate                    | Leading
 * --------------------+----------------------------+-----------+------------------------------+------------
 * elect               | a Probe to both sides; Candidate of phase 0. Alone on the ring: lead
 * Probe above mine    | Electing, and: pass it on with one more hop, or turn it into a Reply at 2^phase;
 *                     |   who follows that one or a higher one passes it on and stays a follower
 * Probe below mine    | elect                      | swallow it| swallow it                   | Elected: me
 * Probe, mine         | –                          | –         | lead; Elected around the ring| –
 * Probe of a suspect  | swallow it
 * Reply for another   | pass it on, in every standing
 * Reply for me        | –                          | –         | from both sides: next phase  | –
 * </pre>
 *
 * <p>A Probe that comes home has passed everybody, so nobody outranks it. The word that it leads goes one way around, and may overtake
 * the Probes that still go the other way: those must not draw a follower into an election that is over. Nobody would tell it of its end, it would
 * elect anew, and its own Probe draw others in the same way, for ever.
 */
public final class HirschbergSinclair extends RingMachine {
    public static final Description DESCRIPTION = new Description(
            "Hirschberg-Sinclair",
            "Hirschberg and Sinclair, 1980",
            "A candidate sends a probe 1, 2, 4, 8 … nodes far to both sides. A higher id swallows it; where it gets to its"
                    + " end a reply comes back, and with two replies the next phase begins. After each phase at most one"
                    + " candidate is left in every neighbourhood of that size. A probe that comes home has passed all.",
            RingAssumptions.ASSUMES,
            RingAssumptions.PROMISES,
            RingAssumptions.CANNOT_PROMISE,
            "at most 8n(1 + ceil(log2 n)) messages in any order of ids, and n to tell the end");

    private static final int PHASE_MAX = 30;

    public HirschbergSinclair(Group group, RingSettings settings) {
        super(group, settings);
    }

    @Override
    Step<RingState> elect(RingState state) {
        return isAlone(state) ? conclude(state, group.me()) : probe(state, 0);
    }

    private Step<RingState> probe(RingState state, int phase) {
        return take(
                state,
                new Candidate(phase, EnumSet.noneOf(Side.class)),
                List.of(
                        send(state, Side.AFTER, new Probe(group.me(), phase, 1, Side.AFTER)),
                        send(state, Side.BEFORE, new Probe(group.me(), phase, 1, Side.BEFORE))));
    }

    @Override
    Step<RingState> onMessage(RingState state, int from, RingMessage message) {
        if (message instanceof Probe probe && !state.suspected().contains(probe.id())) {
            return onProbe(state, probe);
        }
        if (message instanceof Reply reply) {
            return reply.id() == group.me()
                    ? onReply(state, reply)
                    : Step.to(state, send(state, reply.towards(), reply));
        }
        return Step.to(state);
    }

    private Step<RingState> onProbe(RingState state, Probe probe) {
        if (probe.id() == group.me()) {
            return state.standing() instanceof Candidate ? conclude(state, group.me()) : Step.to(state);
        }
        if (probe.id() > group.me()) {
            List<Effect> on = List.of(passed(state, probe));
            return state.standing() instanceof Electing || isSettled(state, probe.id())
                    ? Step.to(state, on)
                    : take(state, new Electing(), on);
        }
        if (state.isLeading()) {
            return Step.to(state, send(state, Side.AFTER, new Elected(group.me(), group.me())));
        }
        return electUnlessBusy(state);
    }

    private static boolean isSettled(RingState state, int candidate) {
        return state.standing() instanceof Following following && following.leader() >= candidate;
    }

    private Effect passed(RingState state, Probe probe) {
        if (probe.hop() < 1 << Math.min(probe.phase(), PHASE_MAX)) {
            return send(state, probe.towards(), new Probe(probe.id(), probe.phase(), probe.hop() + 1, probe.towards()));
        }
        Side back = probe.towards().opposite();
        return send(state, back, new Reply(probe.id(), probe.phase(), back));
    }

    private Step<RingState> onReply(RingState state, Reply reply) {
        if (!(state.standing() instanceof Candidate candidate) || candidate.phase() != reply.phase()) {
            return Step.to(state);
        }
        Set<Side> answered = EnumSet.of(reply.towards());
        answered.addAll(candidate.answered());
        return answered.size() == Side.values().length
                ? probe(state, candidate.phase() + 1)
                : Step.to(state.to(new Candidate(candidate.phase(), answered)));
    }
}
