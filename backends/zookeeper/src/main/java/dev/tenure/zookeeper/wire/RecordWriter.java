package dev.tenure.zookeeper.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Writes one frame as ZooKeeper wants it: a length, then numbers with the high byte first, and texts with their lengths. Byte
 * by byte: a handover runs this once, long before it is compiled, and then every call counts.
 */
final class RecordWriter {
    private static final int LENGTH_BYTES = Integer.BYTES;
    private static final int FIRST_BYTES = 512;

    private byte[] bytes = new byte[FIRST_BYTES];
    private int end = LENGTH_BYTES;

    RecordWriter number(int value) {
        room(Integer.BYTES);
        put(end, value);
        end += Integer.BYTES;
        return this;
    }

    RecordWriter longNumber(long value) {
        return number((int) (value >>> Integer.SIZE)).number((int) value);
    }

    RecordWriter flag(boolean value) {
        room(1);
        bytes[end++] = (byte) (value ? 1 : 0);
        return this;
    }

    RecordWriter data(byte[] value) {
        number(value.length);
        room(value.length);
        System.arraycopy(value, 0, bytes, end, value.length);
        end += value.length;
        return this;
    }

    RecordWriter text(String value) {
        return data(value.getBytes(StandardCharsets.UTF_8));
    }

    RecordWriter texts(List<String> values) {
        number(values.size());
        values.forEach(this::text);
        return this;
    }

    private void put(int at, int value) {
        bytes[at] = (byte) (value >>> 24);
        bytes[at + 1] = (byte) (value >>> 16);
        bytes[at + 2] = (byte) (value >>> 8);
        bytes[at + 3] = (byte) value;
    }

    private void room(int wanted) {
        if (bytes.length - end < wanted) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, end + wanted));
        }
    }

    /** Everything so far, ready to be sent. */
    ByteBuffer frame() {
        put(0, end - LENGTH_BYTES);
        return ByteBuffer.wrap(bytes, 0, end);
    }
}
