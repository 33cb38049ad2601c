// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.contender;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/** The least that a handover can cost: one deletes its znode, the next, already queued, sees that by its watch. */
final class ZooKeeperFloor implements Contender {
    private final ZooKeeper client;

    ZooKeeperFloor(String addresses, Duration ttl) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        client = new ZooKeeper(addresses, (int) ttl.toMillis(), event -> connected.countDown());
        connected.await();
    }

    @Override
    public Stand stand(String election, Leading leading) {
        try {
            String folder = "/floor-" + election;
            createIfAbsent(folder);
            String own = client.create(
                    folder + "/n-", new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL);
            List<String> queue =
                    client.getChildren(folder, false).stream().sorted().toList();
            String first = folder + "/" + queue.get(0);
            if (first.equals(own)) {
                LeadingCallback.begin(leading);
            } else {
                watch(first, leading);
            }
            return new Stood(client, own);
        } catch (KeeperException | InterruptedException failure) {
            throw new IllegalStateException(election, failure);
        }
    }

    private void createIfAbsent(String folder) throws KeeperException, InterruptedException {
        try {
            client.create(folder, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        } catch (KeeperException.NodeExistsException already) {
            return;
        }
    }

    private void watch(String predecessor, Leading leading) throws KeeperException, InterruptedException {
        AtomicBoolean begun = new AtomicBoolean();
        Watcher watcher = (WatchedEvent event) -> {
            if (event.getType() == Watcher.Event.EventType.NodeDeleted && begun.compareAndSet(false, true)) {
                LeadingCallback.begin(leading);
            }
        };
        if (client.exists(predecessor, watcher) == null && begun.compareAndSet(false, true)) {
            LeadingCallback.begin(leading);
        }
    }

    @Override
    public long heartbeats() {
        return 0;
    }

    @Override
    public void close() throws InterruptedException {
        client.close();
    }

    private record Stood(ZooKeeper client, String own) implements Stand {
        @Override
        public boolean believes() {
            return client.getState().isConnected();
        }

        @Override
        public long token() {
            return 0;
        }

        @Override
        public void leave() throws KeeperException, InterruptedException {
            client.delete(own, -1);
        }
    }
}
