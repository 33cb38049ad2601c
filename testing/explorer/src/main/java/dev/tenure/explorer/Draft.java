package dev.tenure.explorer;

import java.util.ArrayList;
import java.util.List;

/** A world while one step changes it: what is touched is copied first. */
final class Draft {
    final Bounds bounds;
    final Machines machines;
    private final World before;
    private final Node[] nodes;
    private final boolean[] mine;
    Store store;
    final List<Message> messages;
    World.Resource resource;
    World.History history;

    Draft(World world, Bounds bounds, Machines machines) {
        this.bounds = bounds;
        this.machines = machines;
        this.before = world;
        this.nodes = world.nodes().toArray(Node[]::new);
        this.mine = new boolean[nodes.length];
        this.store = world.store();
        this.messages = new ArrayList<>(world.messages());
        this.resource = world.resource();
        this.history = world.history();
        machines.count(0, world.fresh());
    }

    int size() {
        return nodes.length;
    }

    Node look(int i) {
        return nodes[i];
    }

    Node change(int i) {
        if (!mine[i]) {
            nodes[i] = nodes[i].copy();
            mine[i] = true;
        }
        return nodes[i];
    }

    void replace(int i, Node node) {
        nodes[i] = node;
        mine[i] = true;
    }

    /** Fresh numbers belong to this node from here on. */
    void countFor(int i) {
        machines.count(i, machines.counted());
    }

    void fault(Fault fault) {
        history = history.fault(fault);
    }

    /** No two writes have the same version, not even over a restore. */
    long freshVersion() {
        long version = machines.counted();
        machines.count(0, version + 1);
        return version;
    }

    void send(Message message) {
        int underWay = 0;
        for (Message other : messages) {
            underWay += other.node() == message.node() ? 1 : 0;
        }
        if (underWay < bounds.inFlightMax()) {
            messages.add(message);
        }
    }

    /** A message has got its answer; of an orphan, nobody wants it. */
    void answer(int index, Message answered) {
        if (answered.orphan()) {
            messages.remove(index);
        } else {
            messages.set(index, answered);
        }
    }

    World done() {
        messages.removeIf(this::isVoid);
        store = withoutForgotten();
        return new World(
                List.of(nodes),
                store,
                List.copyOf(messages),
                resource,
                history,
                Math.max(before.fresh(), machines.counted()));
    }

    /** A message that can change nothing any more, wherever it arrives: without it, fewer states differ. */
    private boolean isVoid(Message message) {
        Node node = nodes[message.node()];
        boolean ofOpen = !message.orphan() && isOpen(node, message.session());
        return switch (message.kind()) {
            case OPEN -> message.orphan() || !machines.session.expects(node.session, message.attempt());
            case RENEW -> message.isAnswer() ? !isHeard(message, node) : !ofOpen && !store.isAlive(message.session());
            case CLAIM, RELEASE ->
                message.isAnswer()
                        ? !isHeard(message, node)
                        : message.stage() == Message.Stage.SENT && !arrives(message);
            case FRONT -> !ofOpen || !store.isOf(message.session(), message.nonce());
            case CLOSE -> !store.isAlive(message.session());
            case RAISE -> message.orphan();
        };
    }

    private boolean isHeard(Message answer, Node node) {
        boolean expected = machines.session.expects(node.session, answer.attempt())
                || machines.election.expects(node.election, answer.attempt());
        boolean gone = answer.stage() == Message.Stage.GONE && isOpen(node, answer.session());
        return expected || gone || bounds.has(Sabotage.STALE_REPLIES);
    }

    /** Would the store look at this call at all? */
    private boolean arrives(Message call) {
        return bounds.door() == Bounds.Door.QUEUE ? store.takes(call) : goesOn(call);
    }

    private static boolean isOpen(Node node, int session) {
        return node.open().isPresent() && Machines.number(node.open().get().id()) == session;
    }

    /** R4: what a newer call has replaced, or whose session was given up, goes no further than its write. */
    boolean goesOn(Message message) {
        Node node = nodes[message.node()];
        return !message.orphan()
                && isOpen(node, message.session())
                && (node.newestCall == message.attempt() || bounds.has(Sabotage.SUPERSEDED_GOES_ON));
    }

    /** A session that nobody names any more can change nothing: without it, fewer states differ. */
    private Store withoutForgotten() {
        Store kept = store.with(named(store.sessions()));
        return store.backup()
                .map(backup -> kept.with(new Store.Backup(backup.claim(), named(backup.sessions()), backup.queue())))
                .orElse(kept);
    }

    private List<Store.Lease> named(List<Store.Lease> leases) {
        for (Store.Lease lease : leases) {
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
        for (Message message : messages) {
            if (message.session() == session) {
                return true;
            }
        }
        for (Node node : nodes) {
            if (node.past == session || isOpen(node, session)) {
                return true;
            }
        }
        return false;
    }
}
