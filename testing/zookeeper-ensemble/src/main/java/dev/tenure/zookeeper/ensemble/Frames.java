// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.ensemble;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** What is said in one direction of one connection, cut into whole frames. Not safe for several threads. */
final class Frames {
    private static final int LENGTH_BYTES = Integer.BYTES;
    private static final int NOTIFICATION = -1;
    /** Behind the version, the newest transaction that the client knows, and the timeout that it asks for. */
    private static final int SESSION_AT = LENGTH_BYTES + Integer.BYTES + Long.BYTES + Integer.BYTES;

    private ByteBuffer rest = ByteBuffer.allocate(0);

    /** Frames come as they like: several at once, or one in pieces. */
    List<byte[]> of(byte[] bytes, int count) {
        rest = ByteBuffer.allocate(rest.remaining() + count)
                .put(rest)
                .put(bytes, 0, count)
                .flip();
        List<byte[]> whole = new ArrayList<>();
        while (rest.remaining() >= LENGTH_BYTES && rest.remaining() >= LENGTH_BYTES + rest.getInt(rest.position())) {
            byte[] frame = new byte[LENGTH_BYTES + rest.getInt(rest.position())];
            rest.get(frame);
            whole.add(frame);
        }
        return whole;
    }

    /** Nobody asked for it: a watch has fired. The answer to a greeting has another number in the same place, never this one. */
    static boolean isNotification(byte[] frame) {
        return ByteBuffer.wrap(frame).getInt(LENGTH_BYTES) == NOTIFICATION;
    }

    /** The greeting of a client that comes back, as that of one which was never there. */
    static byte[] withoutSession(byte[] greeting) {
        return ByteBuffer.wrap(greeting.clone()).putLong(SESSION_AT, 0).array();
    }
}
