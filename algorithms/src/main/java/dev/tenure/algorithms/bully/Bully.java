// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.bully;

import static dev.tenure.algorithms.Effect.FOREVER;
import static dev.tenure.algorithms.Effect.LEADER;

import dev.tenure.algorithms.Description;
import dev.tenure.algorithms.Effect;
import dev.tenure.algorithms.Event;
import dev.tenure.algorithms.Group;
import dev.tenure.algorithms.Machine;
import dev.tenure.algorithms.Step;
import dev.tenure.algorithms.Suspects;
import dev.tenure.algorithms.bully.BullyMessage.Coordinator;
import dev.tenure.algorithms.bully.BullyMessage.Election;
import dev.tenure.algorithms.bully.BullyMessage.Ok;
import dev.tenure.algorithms.bully.BullyState.Awaiting;
import dev.tenure.algorithms.bully.BullyState.Electing;
import dev.tenure.algorithms.bully.BullyState.Following;
import dev.tenure.algorithms.bully.BullyState.Idle;
import dev.tenure.algorithms.bully.BullyState.Leading;
import java.util.ArrayList;
import java.util.List;

/**
 * The bully algorithm (Garcia-Molina, 1982): the highest id that lives leads. A node that wants a leader asks all that
 * outrank it; if none answers in time it declares itself, and if one does, that one goes on.
 *
 * <p>"Elect" below means: ask those that outrank me and become Electing; where nobody outranks me, declare myself to all
 * and become Leading.
 *
 * <pre>
 * event \ standing   | Idle    | Electing          | Awaiting          | Following            | Leading
 * -------------------+---------+-------------------+-------------------+----------------------+---------------------
 * Called             | elect   | –                 | –                 | elect                | elect
 * Election from i,   | OK;     | OK                | OK                | OK;                  | OK, Coordinator to i
 *   i below me       | elect   |                   |                   | elect                |
 * Ok                 | –       | Awaiting          | –                 | –                    | –
 * Coordinator from i,| follow i| follow i          | follow i          | follow i             | follow i
 *   i above me       |         |                   |                   |                      |
 * Coordinator from i,| elect   | –                 | –                 | elect                | Coordinator to all:
 *   i below me       |         |                   |                   |                      |   others follow i
 * answer runs out    | –       | Leading; tell all | –                 | –                    | –
 * coordinator r. out | –       | –                 | elect             | –                    | –
 * Suspected i        | –       | –                 | –                 | elect, if i leads me | –
 * Recovered i        | –       | –                 | –                 | –                    | Coordinator to i
 * </pre>
 *
 * <p>A Coordinator whose sender is suspected already is not followed: elect. Nor is one of a lower id than the leader whom this node
 * follows and does not suspect: it was under way when that leader took over, and has been overtaken. With the assumptions of {@link #DESCRIPTION} this
 * ends, with the highest id. Without them two lead: each side of a partition finds its own highest id, and nothing in a
 * Coordinator tells an old one from a new one.
 */
public final class Bully implements Machine<BullyState> {
    public static final Description DESCRIPTION = new Description(
            "Bully",
            "Garcia-Molina, 1982",
            "A node that misses the leader sends ELECTION to every higher id. Any of them that lives answers OK and holds an"
                    + " election of its own. A node that gets no answer in time leads, and says so to all with COORDINATOR. A node"
                    + " that comes back holds an election at once, and so takes over from any lower id.",
            List.of(
                    "synchrony: a round trip is shorter than the time to answer",
                    "reliable links: what is sent to a living node arrives",
                    "nodes stop by crashing, and a failure detector that does not suspect the living",
                    "all ids are known to all"),
            List.of("it ends, and the highest living id leads", "a node that comes back with a higher id takes over"),
            List.of(
                    "one leader under a partition: each side elects its own",
                    "one leader when a message or a node is slow: a slow node looks like a dead one",
                    "a number that grows with each leader, so a resource cannot tell the old one from the new one",
                    "a stable leader: whoever outranks it takes over as soon as it is back"),
            "n(n - 1) messages at worst, when the lowest id notices; n at best, when the second highest does");

    private static final String ANSWER = "answer";
    private static final String COORDINATOR = "coordinator";

    private final Group group;
    private final BullySettings settings;

    public Bully(Group group, BullySettings settings) {
        this.group = group;
        this.settings = settings;
    }

    @Override
    public BullyState initial() {
        return new BullyState(new Idle(), Suspects.NONE);
    }

    @Override
    public Step<BullyState> on(BullyState before, Event event, long nowNanos) {
        BullyState state = new BullyState(before.standing(), Suspects.after(before.suspected(), event));
        if (event instanceof Event.Called) {
            return isBusy(state) ? Step.to(state) : elect(state);
        }
        if (event instanceof Event.Received received) {
            return onMessage(state, received);
        }
        if (event instanceof Event.TimerFired fired) {
            return onTimer(state, fired.timer());
        }
        if (event instanceof Event.Suspected gone) {
            boolean leaderless = state.standing() instanceof Following following && following.leader() == gone.peer();
            return leaderless ? elect(state) : Step.to(state);
        }
        if (event instanceof Event.Recovered back && state.standing() instanceof Leading) {
            return Step.to(state, new Effect.Send(back.peer(), new Coordinator()));
        }
        return Step.to(state);
    }

    private Step<BullyState> onMessage(BullyState state, Event.Received received) {
        int from = received.from();
        if (received.message() instanceof Election && from < group.me()) {
            return answer(state, from);
        }
        if (received.message() instanceof Ok && state.standing() instanceof Electing) {
            return Step.to(
                    state.to(new Awaiting()),
                    new Effect.CancelTimer(ANSWER),
                    Effect.SetTimer.exactly(COORDINATOR, settings.coordinator().toNanos()));
        }
        if (received.message() instanceof Coordinator) {
            return from > group.me() ? follow(state, from) : refuse(state);
        }
        return Step.to(state);
    }

    private Step<BullyState> answer(BullyState state, int from) {
        List<Effect> effects = new ArrayList<>(List.of(new Effect.Send(from, new Ok())));
        if (state.standing() instanceof Leading) {
            effects.add(new Effect.Send(from, new Coordinator()));
            return Step.to(state, effects);
        }
        if (isBusy(state)) {
            return Step.to(state, effects);
        }
        Step<BullyState> own = elect(state);
        effects.addAll(own.effects());
        return Step.to(own.state(), effects);
    }

    private Step<BullyState> follow(BullyState state, int leader) {
        if (state.suspected().contains(leader)) {
            return elect(state);
        }
        if (state.standing() instanceof Following now
                && now.leader() > leader
                && !state.suspected().contains(now.leader())) {
            return Step.to(state);
        }
        return Step.to(
                state.to(new Following(leader)),
                new Effect.CancelTimer(ANSWER),
                new Effect.CancelTimer(COORDINATOR),
                new Effect.Follow(LEADER, leader, 0));
    }

    /** A lower id declares itself because it did not know of this node. */
    private Step<BullyState> refuse(BullyState state) {
        if (state.standing() instanceof Leading) {
            return declare(state);
        }
        return isBusy(state) ? Step.to(state) : elect(state);
    }

    private Step<BullyState> onTimer(BullyState state, String timer) {
        if (timer.equals(ANSWER) && state.standing() instanceof Electing) {
            return declare(state);
        }
        if (timer.equals(COORDINATOR) && state.standing() instanceof Awaiting) {
            return elect(state);
        }
        return Step.to(state);
    }

    private Step<BullyState> elect(BullyState state) {
        if (group.higher().isEmpty()) {
            return declare(state);
        }
        List<Effect> effects = new ArrayList<>(Group.send(group.higher(), new Election()));
        effects.add(Effect.SetTimer.exactly(ANSWER, settings.answer().toNanos()));
        effects.add(new Effect.Undecided(LEADER, 0));
        return Step.to(state.to(new Electing()), effects);
    }

    private Step<BullyState> declare(BullyState state) {
        List<Effect> effects = new ArrayList<>(Group.send(group.others(), new Coordinator()));
        effects.add(new Effect.Lead(LEADER, 0, FOREVER));
        return Step.to(state.to(new Leading()), effects);
    }

    private static boolean isBusy(BullyState state) {
        return state.standing() instanceof Electing || state.standing() instanceof Awaiting;
    }
}
