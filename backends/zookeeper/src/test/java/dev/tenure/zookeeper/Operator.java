// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import dev.tenure.zookeeper.claim.ParticipantOrder;
import dev.tenure.zookeeper.ensemble.Ensemble;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/** A person with ZooKeeper's own client, who looks and interferes. */
final class Operator implements AutoCloseable {
    private final ZooKeeper zooKeeper;

    Operator() throws Exception {
        this(Ensemble.shared().addresses());
    }

    Operator(String addresses) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        zooKeeper = new ZooKeeper(addresses, 30_000, event -> connected.countDown());
        if (!connected.await(30, TimeUnit.SECONDS)) {
            throw new AssertionError("the operator cannot connect");
        }
    }

    ZooKeeper client() {
        return zooKeeper;
    }

    void create(String path, String data) throws Exception {
        zooKeeper.create(
                path, data.getBytes(StandardCharsets.UTF_8), ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }

    boolean has(String path) throws Exception {
        return zooKeeper.exists(path, false) != null;
    }

    String data(String path) throws Exception {
        return new String(zooKeeper.getData(path, false, null), StandardCharsets.UTF_8);
    }

    /** The latches of an election in their order. */
    List<String> latches(String election) throws Exception {
        zooKeeper.sync(election, (rc, path, context) -> {}, null);
        try {
            return ParticipantOrder.of(zooKeeper.getChildren(election, false)).names();
        } catch (KeeperException.NoNodeException none) {
            return List.of();
        }
    }

    /** The session that owns a latch. */
    long owner(String latch) throws Exception {
        return stat(latch).getEphemeralOwner();
    }

    /** The transaction that created a latch, which is the sequence of its token. */
    long czxid(String latch) throws Exception {
        return stat(latch).getCzxid();
    }

    private Stat stat(String path) throws Exception {
        Stat stat = zooKeeper.exists(path, false);
        if (stat == null) {
            throw new AssertionError("there is no " + path);
        }
        return stat;
    }

    /** Writes what is there already: whoever watches it is told of a change. */
    void touch(String path) throws Exception {
        zooKeeper.setData(path, zooKeeper.getData(path, false, null), -1);
    }

    void remove(String path) throws Exception {
        zooKeeper.delete(path, -1);
    }

    /** Those who stand there may put something back, or take something away, while it is being removed. */
    void wipe(String path) throws Exception {
        while (zooKeeper.exists(path, false) != null) {
            try {
                ZKUtil.deleteRecursive(zooKeeper, path);
                return;
            } catch (KeeperException.NotEmptyException | KeeperException.NoNodeException again) {
                // what is left is removed in the next round
            }
        }
    }

    /** Ends somebody's session, as anybody can who knows how servers make the password of a session from its id. */
    static void endSession(String addresses, long id) throws Exception {
        adopt(addresses, id).close();
    }

    /**
     * Takes over somebody's session in the same way: it lives, with all that it has, until this client is closed. Its pings are
     * frequent, because the servers may still count by the timeout that its owner was granted.
     */
    static ZooKeeper adopt(String addresses, long id) throws Exception {
        byte[] password = new byte[16];
        new Random(id ^ 0xB3415C00L).nextBytes(password);
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper same = new ZooKeeper(addresses, 1_000, event -> connected.countDown(), id, password);
        connected.await(30, TimeUnit.SECONDS);
        return same;
    }

    @Override
    public void close() throws Exception {
        zooKeeper.close();
    }
}
