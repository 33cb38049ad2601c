package dev.tenure.explorer;

import dev.tenure.Loss;
import dev.tenure.Nonce;
import dev.tenure.internal.engine.ElectionState;
import dev.tenure.internal.engine.SessionState;
import java.util.Optional;

/**
 * Writes one node as far as it makes a difference from here on: times as ticks from now and no further back than counts,
 * names as ranks. Nothing in it depends on which node it is, so equal nodes are written alike.
 *
 * <p>Left out, because nothing follows from it: how often something failed (every pause fits into one tick), why a term
 * ends (but whether its duty may still write), what is shown to users, and attempts (but whether one is waited for).
 */
final class NodeScript {
    private static final Message.Kind[] KINDS = Message.Kind.values();

    private final Bounds bounds;
    private final Machines machines;
    private final Ranks nonces;
    private final Ranks sessions;
    private final Ranks versions;
    private final Ink ink = new Ink();

    NodeScript(Bounds bounds, Machines machines, Ranks nonces, Ranks sessions, Ranks versions) {
        this.bounds = bounds;
        this.machines = machines;
        this.nonces = nonces;
        this.sessions = sessions;
        this.versions = versions;
    }

    byte[] of(World world, int i) {
        Node node = world.nodes().get(i);
        ink.put(node.slips);
        ink.put((node.closing ? 1 : 0) + (node.stuck ? 2 : 0));
        ink.put(node.floor);
        session(node.past);
        sessionState(node);
        electionState(node);
        for (Nonce nonce : node.nonces()) {
            nonce(nonce.low());
        }
        lead(node);
        for (Message.Kind kind : KINDS) {
            for (Message message : world.messages()) {
                if (message.node() == i && message.kind() == kind) {
                    message(world, message, node);
                }
            }
        }
        return ink.taken();
    }

    private void lead(Node node) {
        ink.put(node.lead.isPresent() ? 1 : 0);
        if (node.lead.isPresent()) {
            Node.Lead lead = node.lead.get();
            ink.put(lead.stage().ordinal());
            ink.put((lead.checked() ? 1 : 0) + (lead.expired() ? 2 : 0));
            ink.put(lead.term().token().value());
            nonce(lead.term().nonce().low());
            session(lead.session());
        }
    }

    private void sessionState(Node node) {
        SessionState state = node.session;
        if (state instanceof SessionState.Idle) {
            ink.put(0);
        } else if (state instanceof SessionState.Opening opening) {
            ink.put(1);
            age(opening.sentNanos(), node, Machines.BELIEF_TICKS);
            wallAhead(opening.sentNanos(), opening.sentWallMillis(), node);
        } else if (state instanceof SessionState.Pausing pausing) {
            ink.put(2);
            ahead(pausing.untilNanos(), node);
        } else if (state instanceof SessionState.Open open) {
            ink.put(3);
            session(Machines.number(open.id()));
            ahead(open.validUntilNanos(), node);
            wallAhead(open.authority().originNanos(), open.authority().originWallMillis(), node);
            ink.put(open.inDoubt() ? 1 : 0);
            beat(open.beat(), node);
        } else if (state instanceof SessionState.Ended) {
            ink.put(4);
        } else {
            throw new IllegalStateException("the explorer does not know the state " + state);
        }
    }

    private void beat(SessionState.Beat beat, Node node) {
        if (beat instanceof SessionState.Beat.Planned planned) {
            ink.put(0);
            ahead(planned.atNanos(), node);
        } else if (beat instanceof SessionState.Beat.Sent sent) {
            ink.put(1);
            age(sent.sentNanos(), node, Machines.BELIEF_TICKS);
            wallAhead(sent.sentNanos(), sent.sentWallMillis(), node);
        } else {
            throw new IllegalStateException("the explorer does not know the beat " + beat);
        }
    }

    private void electionState(Node node) {
        ElectionState state = node.election;
        if (state instanceof ElectionState.Resting resting) {
            ink.put(0);
            ahead(resting.untilNanos(), node);
            floorOfPlace(node);
        } else if (state instanceof ElectionState.Ready) {
            ink.put(1);
            floorOfPlace(node);
        } else if (state instanceof ElectionState.Claiming claiming) {
            ink.put(claiming.hinted() ? 2 : 3);
            age(claiming.sentNanos(), node, 1);
            ink.put(node.floorAtClaim);
        } else if (state instanceof ElectionState.Unsettled unsettled) {
            ink.put(4);
            ahead(unsettled.untilNanos(), node);
            floorOfPlace(node);
        } else if (state instanceof ElectionState.Waiting) {
            ink.put(5);
            floorOfPlace(node);
        } else if (state instanceof ElectionState.Raising raising) {
            ink.put(raising.raised() ? 6 : 7);
            ahead(raising.notBeforeNanos(), node);
            ahead(raising.raiseByNanos(), node);
            ink.put(node.seenBefore);
            ink.put(node.proven == raising.grant().term().nonce().low() ? 1 : 0);
            grant(raising.grant());
        } else {
            termState(node, state);
        }
    }

    /** In a queue, the answer to the last claim may still come when the place has its turn. */
    private void floorOfPlace(Node node) {
        ink.put(bounds.door() == Bounds.Door.QUEUE ? node.floorAtClaim : 0);
    }

    private void termState(Node node, ElectionState state) {
        if (state instanceof ElectionState.Leading leading) {
            ink.put(8);
            grant(leading.grant());
        } else if (state instanceof ElectionState.Draining draining) {
            ink.put(9);
            grant(draining.grant());
            ink.put(draining.loss() instanceof Loss.SessionLost || draining.loss() instanceof Loss.Fenced ? 1 : 0);
            then(draining.then());
            ElectionState.Drain drain = draining.drain();
            ink.put(stageOf(drain));
            ahead(drain.interruptAtNanos(), node);
            ahead(drain.drainByNanos(), node);
        } else if (state instanceof ElectionState.Forsaken forsaken) {
            ink.put(10);
            grant(forsaken.grant());
            then(forsaken.then());
            sending(forsaken.sending(), node);
        } else if (state instanceof ElectionState.Releasing releasing) {
            ink.put(11);
            session(Machines.number(releasing.session()));
            then(releasing.then());
            sending(Optional.of(releasing.sending()), node);
        } else if (state instanceof ElectionState.Retired) {
            ink.put(12);
        } else {
            throw new IllegalStateException("the explorer does not know the state " + state);
        }
    }

    /** The type of a stage is not visible outside the package of the machines; its place in their order is enough. */
    private static int stageOf(ElectionState.Drain drain) {
        Object stage = drain.stage();
        return ((Enum<?>) stage).ordinal();
    }

    private void grant(ElectionState.Grant grant) {
        ink.put(grant.term().token().value());
        session(Machines.number(grant.session()));
    }

    private void then(ElectionState.Then then) {
        if (then instanceof ElectionState.Then.StandAgain again) {
            ink.put(again.coolDownNanos() > 0 ? 1 : 0);
        } else if (then instanceof ElectionState.Then.Retire) {
            ink.put(2);
        } else {
            throw new IllegalStateException("the explorer does not know what comes " + then);
        }
    }

    private void sending(Optional<ElectionState.Sending> sending, Node node) {
        ink.put(sending.isPresent() ? 1 : 0);
        sending.ifPresent(sent -> ahead(sent.againAtNanos(), node));
    }

    private void message(World world, Message message, Node node) {
        boolean waitedFor = machines.session.expects(node.session, message.attempt())
                || machines.election.expects(node.election, message.attempt());
        boolean newest = node.newestCall == message.attempt();
        ink.put(message.kind().ordinal());
        ink.put(message.stage().ordinal());
        ink.put((message.orphan() ? 1 : 0) + (waitedFor ? 2 : 0) + (newest ? 4 : 0) + (message.late() ? 8 : 0));
        ink.put(bounds.door() == Bounds.Door.QUEUE ? overtaking(world, message) : 0);
        session(message.session());
        nonce(message.nonce());
        ink.put(versions.ofAll(message.version()));
        ink.put(message.token());
    }

    /** A queue refuses the older of two calls when the newer one comes first. */
    private static int overtaking(World world, Message message) {
        int older = 0;
        for (Message other : world.messages()) {
            boolean call = other.kind() == Message.Kind.CLAIM || other.kind() == Message.Kind.RELEASE;
            older += call && other.session() == message.session() && other.attempt() < message.attempt() ? 1 : 0;
        }
        return older;
    }

    private void nonce(long number) {
        ink.put(nonces.ofOwner(number));
    }

    private void session(int number) {
        ink.put(sessions.ofOwner(number));
    }

    /** Whether the wall clock has run ahead since then: one tick is all it takes. */
    private void wallAhead(long nanos, long wallMillis, Node node) {
        long aheadMillis = (node.wallMillis() - wallMillis) - (node.nanos - nanos) / 1_000_000;
        ink.put(aheadMillis > 0 ? 1 : 0);
    }

    private void ahead(long nanos, Node node) {
        ink.put(Math.max(0, -Math.floorDiv(node.nanos - nanos, Machines.TICK)));
    }

    /** @param most from this age on it makes no difference */
    private void age(long nanos, Node node, int most) {
        ink.put(Math.min(most, (node.nanos - nanos) / Machines.TICK));
    }
}
