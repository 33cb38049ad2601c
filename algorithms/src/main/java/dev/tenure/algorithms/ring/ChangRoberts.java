// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.ring;

import dev.tenure.algorithms.Description;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.Step;
import dev.tenure.algorithms.ring.RingMessage.Bid;
import dev.tenure.algorithms.ring.RingMessage.Elected;
import dev.tenure.algorithms.ring.RingMessage.Side;
import dev.tenure.algorithms.ring.RingState.Electing;
import java.util.List;

/**
 * Chang and Roberts (1979): ids travel one way around the ring, and a node lets only higher ones than its own pass. The one
 * that comes home is the highest. What it shares with the other rings is in {@link RingMachine}.
 *
 * <pre>
 * event \ standing | Idle, Following             | Electing    | Leading
 * -----------------+-----------------------------+-------------+---------------------
 * elect            | a Bid with my id to the next; Electing. Alone on the ring: lead
 * Bid above mine   | pass it on; Electing        | pass it on  | pass it on; Electing
 * Bid below mine   | elect: my own instead of it | swallow it  | Elected: me
 * Bid, mine        | –                           | lead; Elected around the ring | –
 * Bid of a suspect | swallow it: nobody would take it off the ring
 * </pre>
 *
 * <p>A Bid that comes home was let pass by everybody, so nobody outranks it.
 */
public final class ChangRoberts extends RingMachine {
    public static final Description DESCRIPTION = new Description(
            "Chang-Roberts",
            "Chang and Roberts, 1979",
            "Everybody who wants a leader sends its id to its neighbour. A node passes on an id that is higher than its"
                    + " own, and sends its own instead of a lower one, once. An id that comes home has been let pass by all:"
                    + " it leads, and says so all around.",
            RingAssumptions.ASSUMES,
            RingAssumptions.PROMISES,
            RingAssumptions.CANNOT_PROMISE,
            "n H(n) bids on average, about 0.69 n log2(n); n(n + 1)/2 at worst, when the ids fall along the ring;"
                    + " 2n - 1 at best; and n to tell the end");

    public ChangRoberts(Group group, RingSettings settings) {
        super(group, settings);
    }

    @Override
    Step<RingState> elect(RingState state) {
        if (isAlone(state)) {
            return conclude(state, group.me());
        }
        return take(state, new Electing(), List.of(send(state, Side.AFTER, new Bid(group.me()))));
    }

    @Override
    Step<RingState> onMessage(RingState state, int from, RingMessage message) {
        if (!(message instanceof Bid bid) || state.suspected().contains(bid.id())) {
            return Step.to(state);
        }
        if (bid.id() == group.me()) {
            return state.isBusy() ? conclude(state, group.me()) : Step.to(state);
        }
        if (bid.id() > group.me()) {
            List<Effect> on = List.of(send(state, Side.AFTER, bid));
            return state.isBusy() ? Step.to(state, on) : take(state, new Electing(), on);
        }
        if (state.isLeading()) {
            return Step.to(state, send(state, Side.AFTER, new Elected(group.me(), group.me())));
        }
        return electUnlessBusy(state);
    }
}
