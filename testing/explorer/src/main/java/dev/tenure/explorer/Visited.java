// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The states that were seen, by 128 bits of hash: with a hundred million of them, two would share one in fewer than one
 * run of 10^22.
 */
final class Visited {
    private long[] table = new long[1 << 16];
    private int size;

    int size() {
        return size;
    }

    /** Returns whether it is new. */
    boolean add(byte[] state) {
        if (size * 3L > table.length) {
            grow();
        }
        long high = hash(state, 0x9e3779b97f4a7c15L);
        long low = hash(state, 0xc2b2ae3d27d4eb4fL) | 1; // never 0, which marks a free place
        return put(table, high, low);
    }

    private boolean put(long[] into, long high, long low) {
        int mask = into.length / 2 - 1;
        int at = (int) (high >>> 20) & mask;
        while (into[2 * at + 1] != 0) {
            if (into[2 * at] == high && into[2 * at + 1] == low) {
                return false;
            }
            at = (at + 1) & mask;
        }
        into[2 * at] = high;
        into[2 * at + 1] = low;
        size += into == table ? 1 : 0;
        return true;
    }

    private void grow() {
        long[] larger = new long[Math.multiplyExact(table.length, 2)];
        for (int i = 0; i < table.length; i += 2) {
            if (table[i + 1] != 0) {
                put(larger, table[i], table[i + 1]);
            }
        }
        table = larger;
    }

    private static long hash(byte[] state, long seed) {
        ByteBuffer bytes = ByteBuffer.wrap(state).order(ByteOrder.LITTLE_ENDIAN);
        long hash = seed ^ state.length;
        while (bytes.remaining() >= Long.BYTES) {
            hash = mix(hash ^ bytes.getLong());
        }
        long rest = 0;
        while (bytes.hasRemaining()) {
            rest = (rest << 8) | (bytes.get() & 0xff);
        }
        return mix(mix(hash ^ rest) + seed);
    }

    /** Every bit of the input reaches every bit of the result. */
    private static long mix(long value) {
        long mixed = (value ^ (value >>> 32)) * 0xd6e8feb86659fd93L;
        mixed = (mixed ^ (mixed >>> 29)) * 0xbf58476d1ce4e5b9L;
        return mixed ^ (mixed >>> 32);
    }
}
