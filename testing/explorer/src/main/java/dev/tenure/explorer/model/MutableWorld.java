// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.model;

import dev.tenure.explorer.Bounds;
import dev.tenure.explorer.BrokenRule;
import dev.tenure.explorer.ModelFault;
import java.util.ArrayList;
import java.util.List;

/** A world while one step changes it: what is touched is copied first. */
public final class MutableWorld {
    public final Bounds bounds;
    public final Machines machines;
    private final ModelWorld before;
    private final NodeModel[] nodes;
    private final boolean[] mine;
    public StoreState store;
    public final List<ModelMessage> messages;
    public ModelWorld.Resource resource;
    public ModelWorld.History history;

    public MutableWorld(ModelWorld world, Bounds bounds, Machines machines) {
        this.bounds = bounds;
        this.machines = machines;
        this.before = world;
        this.nodes = world.nodes().toArray(NodeModel[]::new);
        this.mine = new boolean[nodes.length];
        this.store = world.store();
        this.messages = new ArrayList<>(world.messages());
        this.resource = world.resource();
        this.history = world.history();
        machines.count(0, world.fresh());
    }

    public int size() {
        return nodes.length;
    }

    public NodeModel look(int i) {
        return nodes[i];
    }

    public NodeModel change(int i) {
        if (!mine[i]) {
            nodes[i] = nodes[i].copy();
            mine[i] = true;
        }
        return nodes[i];
    }

    public void replace(int i, NodeModel node) {
        nodes[i] = node;
        mine[i] = true;
    }

    /** Fresh numbers belong to this node from here on. */
    public void countFor(int i) {
        machines.count(i, machines.counted());
    }

    public void fault(ModelFault fault) {
        history = history.fault(fault);
    }

    /** No two writes have the same version, not even over a restore. */
    public long freshVersion() {
        long version = machines.counted();
        machines.count(0, version + 1);
        return version;
    }

    public void send(ModelMessage message) {
        int underWay = 0;
        for (ModelMessage other : messages) {
            underWay += other.node() == message.node() ? 1 : 0;
        }
        if (underWay < bounds.inFlightMax()) {
            messages.add(message);
        }
    }

    /** A message has got its answer; of an orphan, nobody wants it. */
    public void answer(int index, ModelMessage answered) {
        if (answered.orphan()) {
            messages.remove(index);
        } else {
            messages.set(index, answered);
        }
    }

    public ModelWorld done() {
        messages.removeIf(this::isVoid);
        store = withoutForgotten();
        return new ModelWorld(
                List.of(nodes),
                store,
                List.copyOf(messages),
                resource,
                history,
                Math.max(before.fresh(), machines.counted()));
    }

    /** A message that can change nothing any more, wherever it arrives: without it, fewer states differ. */
    private boolean isVoid(ModelMessage message) {
        NodeModel node = nodes[message.node()];
        boolean ofOpen = !message.orphan() && isOpen(node, message.session());
        return switch (message.kind()) {
            case OPEN -> message.orphan() || !machines.session.expects(node.session, message.attempt());
            case RENEW -> message.isAnswer() ? !isHeard(message, node) : !ofOpen && !store.isAlive(message.session());
            case CLAIM, RELEASE ->
                message.isAnswer()
                        ? !isHeard(message, node)
                        : message.stage() == ModelMessage.Stage.SENT && !arrives(message);
            case FRONT -> !ofOpen || !store.isOf(message.session(), message.nonce());
            case CLOSE -> !store.isAlive(message.session());
            case RAISE -> message.orphan();
        };
    }

    private boolean isHeard(ModelMessage answer, NodeModel node) {
        boolean expected = machines.session.expects(node.session, answer.attempt())
                || machines.election.expects(node.election, answer.attempt());
        boolean gone = answer.stage() == ModelMessage.Stage.GONE && isOpen(node, answer.session());
        return expected || gone || bounds.has(BrokenRule.STALE_REPLIES);
    }

    /** Would the store look at this call at all? */
    private boolean arrives(ModelMessage call) {
        return bounds.claimOrdering() == Bounds.ClaimOrdering.QUEUE ? store.takes(call) : goesOn(call);
    }

    private static boolean isOpen(NodeModel node, int session) {
        return node.open().isPresent() && Machines.number(node.open().get().id()) == session;
    }

    /** R4: what a newer call has replaced, or whose session was given up, goes no further than its write. */
    public boolean goesOn(ModelMessage message) {
        NodeModel node = nodes[message.node()];
        return !message.orphan()
                && isOpen(node, message.session())
                && (node.newestCall == message.attempt() || bounds.has(BrokenRule.SUPERSEDED_GOES_ON));
    }

    /** A session that nobody names any more can change nothing: without it, fewer states differ. */
    private StoreState withoutForgotten() {
        StoreState kept = store.with(named(store.sessions()));
        return store.backup()
                .map(backup ->
                        kept.with(new StoreState.Backup(backup.claim(), named(backup.sessions()), backup.queue())))
                .orElse(kept);
    }

    private List<StoreState.Lease> named(List<StoreState.Lease> leases) {
        for (StoreState.Lease lease : leases) {
            if (!isNamed(lease.session())) {
                return leases.stream().filter(other -> isNamed(other.session())).toList();
            }
        }
        return leases;
    }

    private boolean isNamed(int session) {
        if (store.names(session)
                || (store.backup().isPresent() && store.restored().names(session))) {
            return true;
        }
        for (ModelMessage message : messages) {
            if (message.session() == session) {
                return true;
            }
        }
        for (NodeModel node : nodes) {
            if (node.past == session || isOpen(node, session)) {
                return true;
            }
        }
        return false;
    }
}
