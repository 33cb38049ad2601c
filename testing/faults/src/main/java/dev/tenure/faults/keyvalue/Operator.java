// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.keyvalue;

import java.util.Comparator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/** A person with ZooKeeper's own client. */
final class Operator implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 30_000;

    private final ZooKeeper zooKeeper;

    Operator(String addresses) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        zooKeeper = new ZooKeeper(addresses, TIMEOUT_MILLIS, event -> connected.countDown());
        if (!connected.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
            zooKeeper.close();
            throw new IllegalStateException("ZooKeeper does not let the operator in");
        }
    }

    /** The participant that leads. */
    String first(String election) throws Exception {
        return zooKeeper.getChildren(election, false).stream()
                .min(Comparator.comparing(name -> name.substring(name.lastIndexOf('-') + 1)))
                .map(name -> election + "/" + name)
                .orElseThrow(() -> new IllegalStateException("nobody leads " + election));
    }

    long owner(String path) throws Exception {
        Stat stat = zooKeeper.exists(path, false);
        if (stat == null) {
            throw new IllegalStateException(path + " has gone");
        }
        return stat.getEphemeralOwner();
    }

    void remove(String path) throws Exception {
        zooKeeper.delete(path, -1);
    }

    /** Those who stand there may put something back while it is being removed. */
    void wipe(String path) throws Exception {
        while (!isWiped(path)) {
            Thread.onSpinWait();
        }
    }

    private boolean isWiped(String path) throws Exception {
        if (zooKeeper.exists(path, false) == null) {
            return true;
        }
        try {
            ZKUtil.deleteRecursive(zooKeeper, path);
            return true;
        } catch (KeeperException.NotEmptyException | KeeperException.NoNodeException again) {
            return false;
        }
    }

    @Override
    public void close() throws InterruptedException {
        zooKeeper.close();
    }
}
