// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.encoding;

import java.util.Arrays;

/** Writes small numbers, a byte each. What does not fit is an error: cut off, it would make two states look the same. */
final class ByteEncoder {
    private byte[] bytes = new byte[64];
    private int size;

    void put(long value) {
        if (value < 0 || value > 255) {
            throw new IllegalStateException(value + " does not fit into a byte");
        }
        if (size == bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * size);
        }
        bytes[size++] = (byte) value;
    }

    void put(byte[] more) {
        for (byte each : more) {
            put(each & 0xff);
        }
    }

    /** What was written; the next one begins empty. */
    byte[] taken() {
        byte[] taken = Arrays.copyOf(bytes, size);
        size = 0;
        return taken;
    }
}
