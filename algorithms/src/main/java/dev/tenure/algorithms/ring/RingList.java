// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.ring;

import dev.tenure.algorithms.Description;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.Step;
import dev.tenure.algorithms.ring.RingMessage.Roll;
import dev.tenure.algorithms.ring.RingMessage.Side;
import dev.tenure.algorithms.ring.RingState.Electing;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The ring algorithm as it is commonly taught: a list goes around, everybody adds its id, and who finds itself in it knows
 * all that live; the highest of them leads. What it shares with the other rings is in {@link RingMachine}.
 *
 * <pre>
 * event \ standing      | every standing
 * ----------------------+--------------------------------------------------------------------------
 * elect                 | a Roll with my id to the next; Electing. Alone on the ring: lead
 * Roll without my id    | add it, pass it on
 * Roll with my id       | it has been all around: its highest id leads; Elected around the ring
 * Roll, highest suspect.| elect, unless busy: that one died while the list went around
 * </pre>
 *
 * <p>Any node that finds itself in a list closes it, not only the one that began it: that one may be dead.
 */
public final class RingList extends RingMachine {
    public static final Description DESCRIPTION = new Description(
            "Ring with a list",
            "as commonly taught, after Le Lann, 1977",
            "A node sends a list with its own id to its neighbour; everybody adds its id and passes it on. When the list comes"
                    + " back to somebody who is in it already, its highest id leads, and a second message tells so all"
                    + " around. With repair a node sends past a neighbour that is suspected.",
            RingAssumptions.ASSUMES,
            RingAssumptions.PROMISES,
            RingAssumptions.CANNOT_PROMISE,
            "2n messages for each node that calls an election; each list carries up to n ids");

    public RingList(Group group, RingSettings settings) {
        super(group, settings);
    }

    @Override
    Step<RingState> elect(RingState state) {
        if (isAlone(state)) {
            return conclude(state, group.me());
        }
        return take(state, new Electing(), List.of(send(state, Side.AFTER, new Roll(List.of(group.me())))));
    }

    @Override
    Step<RingState> onMessage(RingState state, int from, RingMessage message) {
        if (!(message instanceof Roll roll)) {
            return Step.to(state);
        }
        if (roll.ids().contains(group.me())) {
            int highest = Collections.max(roll.ids());
            return state.suspected().contains(highest) ? electUnlessBusy(state) : conclude(state, highest);
        }
        List<Integer> ids = new ArrayList<>(roll.ids());
        ids.add(group.me());
        return Step.to(state, send(state, Side.AFTER, new Roll(ids)));
    }
}
