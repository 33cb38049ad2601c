package dev.tenure.explorer;

import dev.tenure.Nonce;
import java.util.Arrays;
import java.util.List;

/**
 * The same bytes for worlds that behave the same from here on.
 *
 * <p>Times are written as ticks from now. Numbers that only have to differ (nonces, sessions, versions) are written as
 * ranks among those that are still named. Nodes are interchangeable: each is written for itself, in an order that the
 * contents give, and where they are equal, the smaller of the possible endings counts.
 */
final class Canon {
    static final int NODES_MAX = 3;
    static final int TOKENS_MAX = 200;

    private final boolean fenced;
    private final int[][] orders;
    private final NodeScript script;
    private final Ranks nonces = new Ranks();
    private final Ranks sessions = new Ranks();
    private final Ranks versions = new Ranks();
    private final Ink ink = new Ink();
    private final int[] places = new int[NODES_MAX];

    Canon(Bounds bounds, Machines machines) {
        Shapes.requireKnown();
        this.fenced = !bounds.has(Sabotage.NO_FENCE);
        this.orders = orders(bounds.nodes());
        this.script = new NodeScript(bounds, machines, nonces, sessions, versions);
    }

    private static int[][] orders(int nodes) {
        return switch (nodes) {
            case 1 -> new int[][] {{0}};
            case 2 -> new int[][] {{0, 1}, {1, 0}};
            default -> new int[][] {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        };
    }

    byte[] of(World world) {
        collect(world);
        byte[][] nodes = new byte[world.nodes().size()][];
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] = script.of(world, i);
        }
        byte[] smallest = new byte[0];
        for (int[] order : orders) {
            if (isSorted(nodes, order)) {
                byte[] ending = ending(world, order);
                boolean smaller = smallest.length == 0 || Arrays.compareUnsigned(ending, smallest) < 0;
                smallest = smaller ? ending : smallest;
            }
        }
        Arrays.sort(nodes, Arrays::compareUnsigned);
        for (byte[] node : nodes) {
            ink.put(node.length);
            ink.put(node);
        }
        ink.put(smallest);
        return ink.taken();
    }

    private static boolean isSorted(byte[][] nodes, int[] order) {
        for (int i = 1; i < order.length; i++) {
            if (Arrays.compareUnsigned(nodes[order[i - 1]], nodes[order[i]]) > 0) {
                return false;
            }
        }
        return true;
    }

    /** Which numbers are still named: their order among those of the same owner is what is left of them. */
    private void collect(World world) {
        nonces.clear();
        sessions.clear();
        versions.clear();
        storeNames(world.store());
        if (world.store().backup().isPresent()) {
            storeNames(world.store().restored());
        }
        for (Message message : world.messages()) {
            nonces.add(message.nonce());
            sessions.add(message.session());
            versions.add(message.version());
        }
        nonces.add(fenceNonce(world));
        for (int i = 0; i < world.nodes().size(); i++) {
            nodeNames(world.nodes().get(i));
        }
    }

    private void storeNames(Store store) {
        nonces.add(store.claim().nonce());
        sessions.add(store.claim().session());
        versions.add(store.claim().version());
        for (Store.Place place : store.queue()) {
            nonces.add(place.nonce());
            sessions.add(place.session());
        }
    }

    private void nodeNames(Node node) {
        for (Nonce nonce : node.nonces()) {
            nonces.add(nonce.low());
        }
        node.open().ifPresent(open -> sessions.add(Machines.number(open.id())));
        sessions.add(node.past);
        node.lead.ifPresent(lead -> {
            nonces.add(lead.term().nonce().low());
            sessions.add(lead.session());
        });
        node.claimant().ifPresent(session -> sessions.add(Machines.number(session)));
    }

    /** As long as no token was issued twice, a token has one nonce: what follows from the rest need not be told. */
    private static long fenceNonce(World world) {
        return world.history().restored() ? world.resource().fenceNonce() : 0;
    }

    private byte[] ending(World world, int[] order) {
        for (int i = 0; i < order.length; i++) {
            places[order[i]] = i;
        }
        store(world.store(), world.store().ticks());
        ink.put(world.store().backup().isPresent() ? 1 : 0);
        if (world.store().backup().isPresent()) {
            store(world.store().restored(), world.store().ticks());
        }
        World.Resource resource = world.resource();
        ink.put(resource.fenceToken());
        ink.put(nonces.ofOwner(fenceNonce(world), places));
        ink.put(fenced ? 0 : resource.writtenToken()); // where the fence holds, no accepted write is above it
        World.History history = world.history();
        ink.put(history.issued());
        ink.put(history.faults());
        ink.put((history.keptItsWord() ? 1 : 0) + (history.restored() ? 2 : 0));
        return ink.taken();
    }

    private void store(Store store, long ticks) {
        Store.Claim claim = store.claim();
        ink.put(claim.held() ? 1 : 0);
        ink.put(sessions.ofOwner(claim.session(), places));
        ink.put(nonces.ofOwner(claim.nonce(), places));
        ink.put(claim.token());
        ink.put(versions.ofAll(claim.version()));
        ink.put(store.queue().size());
        for (Store.Place place : store.queue()) {
            ink.put(sessions.ofOwner(place.session(), places));
            ink.put(nonces.ofOwner(place.nonce(), places));
        }
        leases(store.sessions(), ticks);
    }

    private void leases(List<Store.Lease> leases, long ticks) {
        int[] written = new int[leases.size()];
        for (int i = 0; i < written.length; i++) {
            Store.Lease lease = leases.get(i);
            int left = (int) Math.max(0, lease.expiresAt() - ticks);
            written[i] = sessions.ofOwner(lease.session(), places) * 16 + left;
        }
        Arrays.sort(written);
        ink.put(written.length);
        for (int each : written) {
            ink.put(each >> 4);
            ink.put(each & 15);
        }
    }
}
