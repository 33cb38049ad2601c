// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.encoding;

import dev.tenure.Loss;
import dev.tenure.Nonce;
import dev.tenure.explorer.Bounds;
import dev.tenure.explorer.model.Machines;
import dev.tenure.explorer.model.ModelMessage;
import dev.tenure.explorer.model.ModelWorld;
import dev.tenure.explorer.model.NodeModel;
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
final class NodeEncoder {
    private static final ModelMessage.Kind[] KINDS = ModelMessage.Kind.values();

    private final Bounds bounds;
    private final Machines machines;
    private final NumberNormalizer nonces;
    private final NumberNormalizer sessions;
    private final NumberNormalizer versions;
    private final ByteEncoder out = new ByteEncoder();

    NodeEncoder(
            Bounds bounds,
            Machines machines,
            NumberNormalizer nonces,
            NumberNormalizer sessions,
            NumberNormalizer versions) {
        this.bounds = bounds;
        this.machines = machines;
        this.nonces = nonces;
        this.sessions = sessions;
        this.versions = versions;
    }

    byte[] of(ModelWorld world, int i) {
        NodeModel node = world.nodes().get(i);
        out.put(node.slips);
        out.put((node.closing ? 1 : 0) + (node.stuck ? 2 : 0));
        out.put(node.floor);
        session(node.past);
        sessionState(node);
        electionState(node);
        for (Nonce nonce : node.nonces()) {
            nonce(nonce.low());
        }
        lead(node);
        for (ModelMessage.Kind kind : KINDS) {
            for (ModelMessage message : world.messages()) {
                if (message.node() == i && message.kind() == kind) {
                    message(world, message, node);
                }
            }
        }
        return out.taken();
    }

    private void lead(NodeModel node) {
        out.put(node.lead.isPresent() ? 1 : 0);
        if (node.lead.isPresent()) {
            NodeModel.Lead lead = node.lead.get();
            out.put(lead.stage().ordinal());
            out.put((lead.checked() ? 1 : 0) + (lead.expired() ? 2 : 0));
            out.put(lead.term().token().value());
            nonce(lead.term().nonce().low());
            session(lead.session());
        }
    }

    private void sessionState(NodeModel node) {
        SessionState state = node.session;
        if (state instanceof SessionState.Idle) {
            out.put(0);
        } else if (state instanceof SessionState.Opening opening) {
            out.put(1);
            age(opening.sentNanos(), node, Machines.BELIEF_TICKS);
            wallAhead(opening.sentNanos(), opening.sentWallMillis(), node);
        } else if (state instanceof SessionState.Pausing pausing) {
            out.put(2);
            ahead(pausing.untilNanos(), node);
        } else if (state instanceof SessionState.Open open) {
            out.put(3);
            session(Machines.number(open.id()));
            ahead(open.validUntilNanos(), node);
            wallAhead(open.authority().originNanos(), open.authority().originWallMillis(), node);
            out.put(open.inDoubt() ? 1 : 0);
            beat(open.beat(), node);
        } else if (state instanceof SessionState.Ended) {
            out.put(4);
        } else {
            throw new IllegalStateException("the explorer does not know the state " + state);
        }
    }

    private void beat(SessionState.Beat beat, NodeModel node) {
        if (beat instanceof SessionState.Beat.Planned planned) {
            out.put(0);
            ahead(planned.atNanos(), node);
        } else if (beat instanceof SessionState.Beat.Sent sent) {
            out.put(1);
            age(sent.sentNanos(), node, Machines.BELIEF_TICKS);
            wallAhead(sent.sentNanos(), sent.sentWallMillis(), node);
        } else {
            throw new IllegalStateException("the explorer does not know the beat " + beat);
        }
    }

    private void electionState(NodeModel node) {
        ElectionState state = node.election;
        if (state instanceof ElectionState.BackOff backOff) {
            out.put(0);
            ahead(backOff.untilNanos(), node);
            floorOfPlace(node);
        } else if (state instanceof ElectionState.Ready) {
            out.put(1);
            floorOfPlace(node);
        } else if (state instanceof ElectionState.Claiming claiming) {
            out.put(claiming.hinted() ? 2 : 3);
            age(claiming.sentNanos(), node, 1);
            out.put(node.floorAtClaim);
        } else if (state instanceof ElectionState.OutcomeUnknown unknown) {
            out.put(4);
            ahead(unknown.untilNanos(), node);
            floorOfPlace(node);
        } else if (state instanceof ElectionState.Waiting) {
            out.put(5);
            floorOfPlace(node);
        } else if (state instanceof ElectionState.RaisingFences raising) {
            out.put(raising.raised() ? 6 : 7);
            ahead(raising.notBeforeNanos(), node);
            ahead(raising.raiseByNanos(), node);
            out.put(node.seenBefore);
            out.put(node.proven == raising.grant().term().nonce().low() ? 1 : 0);
            grant(raising.grant());
        } else {
            termState(node, state);
        }
    }

    /** In a queue, the answer to the last claim may still come when the place has its turn. */
    private void floorOfPlace(NodeModel node) {
        out.put(bounds.claimOrdering() == Bounds.ClaimOrdering.QUEUE ? node.floorAtClaim : 0);
    }

    private void termState(NodeModel node, ElectionState state) {
        if (state instanceof ElectionState.Leading leading) {
            out.put(8);
            grant(leading.grant());
        } else if (state instanceof ElectionState.Draining draining) {
            out.put(9);
            grant(draining.grant());
            out.put(draining.loss() instanceof Loss.SessionLost || draining.loss() instanceof Loss.Fenced ? 1 : 0);
            then(draining.after());
            ElectionState.Drain drain = draining.drain();
            out.put(stageOf(drain));
            ahead(drain.interruptAtNanos(), node);
            ahead(drain.drainByNanos(), node);
        } else if (state instanceof ElectionState.ReleasedEarly released) {
            out.put(10);
            grant(released.grant());
            then(released.after());
            sending(released.release(), node);
        } else if (state instanceof ElectionState.Releasing releasing) {
            out.put(11);
            session(Machines.number(releasing.session()));
            then(releasing.after());
            sending(Optional.of(releasing.release()), node);
        } else if (state instanceof ElectionState.Retired) {
            out.put(12);
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
        out.put(grant.term().token().value());
        session(Machines.number(grant.session()));
    }

    private void then(ElectionState.AfterTerm after) {
        if (after instanceof ElectionState.AfterTerm.StandAgain again) {
            out.put(again.coolDownNanos() > 0 ? 1 : 0);
        } else if (after instanceof ElectionState.AfterTerm.Retire) {
            out.put(2);
        } else {
            throw new IllegalStateException("the explorer does not know what comes " + after);
        }
    }

    private void sending(Optional<ElectionState.PendingRelease> release, NodeModel node) {
        out.put(release.isPresent() ? 1 : 0);
        release.ifPresent(sent -> ahead(sent.againAtNanos(), node));
    }

    private void message(ModelWorld world, ModelMessage message, NodeModel node) {
        boolean waitedFor = machines.session.expects(node.session, message.attempt())
                || machines.election.expects(node.election, message.attempt());
        boolean newest = node.newestCall == message.attempt();
        out.put(message.kind().ordinal());
        out.put(message.stage().ordinal());
        out.put((message.orphan() ? 1 : 0) + (waitedFor ? 2 : 0) + (newest ? 4 : 0) + (message.late() ? 8 : 0));
        out.put(bounds.claimOrdering() == Bounds.ClaimOrdering.QUEUE ? overtaking(world, message) : 0);
        session(message.session());
        nonce(message.nonce());
        out.put(versions.ofAll(message.version()));
        out.put(message.token());
    }

    /** A queue refuses the older of two calls when the newer one comes first. */
    private static int overtaking(ModelWorld world, ModelMessage message) {
        int older = 0;
        for (ModelMessage other : world.messages()) {
            boolean call = other.kind() == ModelMessage.Kind.CLAIM || other.kind() == ModelMessage.Kind.RELEASE;
            older += call && other.session() == message.session() && other.attempt() < message.attempt() ? 1 : 0;
        }
        return older;
    }

    private void nonce(long number) {
        out.put(nonces.ofOwner(number));
    }

    private void session(int number) {
        out.put(sessions.ofOwner(number));
    }

    /** Whether the wall clock has run ahead since then: one tick is all it takes. */
    private void wallAhead(long nanos, long wallMillis, NodeModel node) {
        long aheadMillis = (node.wallMillis() - wallMillis) - (node.nanos - nanos) / 1_000_000;
        out.put(aheadMillis > 0 ? 1 : 0);
    }

    private void ahead(long nanos, NodeModel node) {
        out.put(Math.max(0, -Math.floorDiv(node.nanos - nanos, Machines.TICK)));
    }

    /** @param most from this age on it makes no difference */
    private void age(long nanos, NodeModel node, int most) {
        out.put(Math.min(most, (node.nanos - nanos) / Machines.TICK));
    }
}
