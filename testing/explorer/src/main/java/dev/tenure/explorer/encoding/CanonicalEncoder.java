// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.encoding;

import dev.tenure.Nonce;
import dev.tenure.explorer.Bounds;
import dev.tenure.explorer.BrokenRule;
import dev.tenure.explorer.model.Machines;
import dev.tenure.explorer.model.ModelMessage;
import dev.tenure.explorer.model.ModelWorld;
import dev.tenure.explorer.model.NodeModel;
import dev.tenure.explorer.model.StoreState;
import java.util.Arrays;
import java.util.List;

/**
 * The same bytes for worlds that behave the same from here on.
 *
 * <p>Times are written as ticks from now. Numbers that only have to differ (nonces, sessions, versions) are written as
 * ranks among those that are still named. Nodes are interchangeable: each is written for itself, in an order that the
 * contents give, and where they are equal, the smaller of the possible endings counts.
 */
public final class CanonicalEncoder {
    public static final int NODES_MAX = 3;
    public static final int TOKENS_MAX = 200;

    private final boolean fenced;
    private final int[][] orders;
    private final NodeEncoder script;
    private final NumberNormalizer nonces = new NumberNormalizer();
    private final NumberNormalizer sessions = new NumberNormalizer();
    private final NumberNormalizer versions = new NumberNormalizer();
    private final ByteEncoder out = new ByteEncoder();
    private final int[] places = new int[NODES_MAX];

    public CanonicalEncoder(Bounds bounds, Machines machines) {
        StateEncoders.requireKnown();
        this.fenced = !bounds.has(BrokenRule.NO_FENCE);
        this.orders = orders(bounds.nodes());
        this.script = new NodeEncoder(bounds, machines, nonces, sessions, versions);
    }

    private static int[][] orders(int nodes) {
        return switch (nodes) {
            case 1 -> new int[][] {{0}};
            case 2 -> new int[][] {{0, 1}, {1, 0}};
            default -> new int[][] {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        };
    }

    public byte[] of(ModelWorld world) {
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
            out.put(node.length);
            out.put(node);
        }
        out.put(smallest);
        return out.taken();
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
    private void collect(ModelWorld world) {
        nonces.clear();
        sessions.clear();
        versions.clear();
        storeNames(world.store());
        if (world.store().backup().isPresent()) {
            storeNames(world.store().restored());
        }
        for (ModelMessage message : world.messages()) {
            nonces.add(message.nonce());
            sessions.add(message.session());
            versions.add(message.version());
        }
        nonces.add(fenceNonce(world));
        for (int i = 0; i < world.nodes().size(); i++) {
            nodeNames(world.nodes().get(i));
        }
    }

    private void storeNames(StoreState store) {
        nonces.add(store.claim().nonce());
        sessions.add(store.claim().session());
        versions.add(store.claim().version());
        for (StoreState.QueuePlace queuePlace : store.queue()) {
            nonces.add(queuePlace.nonce());
            sessions.add(queuePlace.session());
        }
    }

    private void nodeNames(NodeModel node) {
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
    private static long fenceNonce(ModelWorld world) {
        return world.history().restored() ? world.resource().fenceNonce() : 0;
    }

    private byte[] ending(ModelWorld world, int[] order) {
        for (int i = 0; i < order.length; i++) {
            places[order[i]] = i;
        }
        store(world.store(), world.store().ticks());
        out.put(world.store().backup().isPresent() ? 1 : 0);
        if (world.store().backup().isPresent()) {
            store(world.store().restored(), world.store().ticks());
        }
        ModelWorld.Resource resource = world.resource();
        out.put(resource.fenceToken());
        out.put(nonces.ofOwner(fenceNonce(world), places));
        out.put(fenced ? 0 : resource.writtenToken()); // where the fence holds, no accepted write is above it
        ModelWorld.History history = world.history();
        out.put(history.issued());
        out.put(history.faults());
        out.put((history.keptItsWord() ? 1 : 0) + (history.restored() ? 2 : 0));
        return out.taken();
    }

    private void store(StoreState store, long ticks) {
        StoreState.Claim claim = store.claim();
        out.put(claim.held() ? 1 : 0);
        out.put(sessions.ofOwner(claim.session(), places));
        out.put(nonces.ofOwner(claim.nonce(), places));
        out.put(claim.token());
        out.put(versions.ofAll(claim.version()));
        out.put(store.queue().size());
        for (StoreState.QueuePlace queuePlace : store.queue()) {
            out.put(sessions.ofOwner(queuePlace.session(), places));
            out.put(nonces.ofOwner(queuePlace.nonce(), places));
        }
        leases(store.sessions(), ticks);
    }

    private void leases(List<StoreState.Lease> leases, long ticks) {
        int[] written = new int[leases.size()];
        for (int i = 0; i < written.length; i++) {
            StoreState.Lease lease = leases.get(i);
            int left = (int) Math.max(0, lease.expiresAt() - ticks);
            written[i] = sessions.ofOwner(lease.session(), places) * 16 + left;
        }
        Arrays.sort(written);
        out.put(written.length);
        for (int each : written) {
            out.put(each >> 4);
            out.put(each & 15);
        }
    }
}
