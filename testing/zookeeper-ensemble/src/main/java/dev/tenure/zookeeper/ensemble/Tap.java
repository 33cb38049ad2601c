// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.ensemble;

import java.nio.ByteBuffer;
import java.util.List;

/** What kinds of requests pass on one connection, in the numbers of ZooKeeper's protocol. Not safe for several threads. */
final class Tap {
    private static final int LENGTH_BYTES = Integer.BYTES;
    private static final int HEAD_BYTES = LENGTH_BYTES + 2 * Integer.BYTES;

    private final List<Integer> kinds;
    private final ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES);
    private boolean greeted;
    private int toSkip;

    /** @param kinds where they are added */
    Tap(List<Integer> kinds) {
        this.kinds = kinds;
    }

    /** Frames come as they like: several at once, or one in pieces. */
    void passes(byte[] bytes, int count) {
        for (int i = 0; i < count; i++) {
            if (toSkip > 0) {
                toSkip--;
            } else {
                head.put(bytes[i]);
                if (!head.hasRemaining()) {
                    begun();
                }
            }
        }
    }

    /** The first one is the greeting, which has no kind; every one is longer than its head. */
    private void begun() {
        toSkip = head.getInt(0) - (HEAD_BYTES - LENGTH_BYTES);
        if (greeted) {
            kinds.add(head.getInt(2 * Integer.BYTES));
        }
        greeted = true;
        head.clear();
    }
}
