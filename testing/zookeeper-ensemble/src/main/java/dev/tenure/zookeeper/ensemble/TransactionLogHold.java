// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.ensemble;

import java.lang.reflect.Field;
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
import org.apache.zookeeper.server.quorum.QuorumPeer;

/**
 * What this server writes to its disk before it agrees to it. While that is held, the server does everything but agree: it
 * hands on what its clients ask for, and answers its leader's pings, as one with a disk that hangs.
 */
final class TransactionLogHold {
    static final String HELD = "the journal is held";

    private static CountDownLatch letGo = new CountDownLatch(0);

    private TransactionLogHold() {}

    static void hold() throws ReflectiveOperationException {
        QuorumPeer peer = Thread.getAllStackTraces().keySet().stream()
                .filter(QuorumPeer.class::isInstance)
                .map(QuorumPeer.class::cast)
                .findFirst()
                .orElseThrow();
        Field field = FileTxnSnapLog.class.getDeclaredField("txnLog");
        field.setAccessible(true);
        Object log = field.get(peer.getTxnFactory());
        CountDownLatch over = new CountDownLatch(1);
        letGo = over;
        Thread holding = new Thread(() -> holdUntil(over, log), "holds the journal");
        holding.setDaemon(true);
        holding.start();
    }

    static void letGo() {
        letGo.countDown();
    }

    /** A thread that appends to the log takes its monitor first. */
    private static void holdUntil(CountDownLatch over, Object log) {
        synchronized (log) {
            System.out.println(HELD);
            try {
                over.await();
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
