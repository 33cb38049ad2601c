package dev.tenure.zookeeper.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Writes one frame as ZooKeeper wants it: a length, then numbers with the high byte first, and texts with their lengths. */
final class RecordWriter {
    private static final int LENGTH_BYTES = Integer.BYTES;
    private static final int FIRST_BYTES = 256;

    private ByteBuffer bytes = ByteBuffer.allocate(FIRST_BYTES).position(LENGTH_BYTES);

    RecordWriter number(int value) {
        room(Integer.BYTES).putInt(value);
        return this;
    }

    RecordWriter longNumber(long value) {
        room(Long.BYTES).putLong(value);
        return this;
    }

    RecordWriter flag(boolean value) {
        room(1).put((byte) (value ? 1 : 0));
        return this;
    }

    RecordWriter data(byte[] value) {
        number(value.length);
        room(value.length).put(value);
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

    private ByteBuffer room(int wanted) {
        if (bytes.remaining() < wanted) {
            int capacity = Math.max(2 * bytes.capacity(), bytes.position() + wanted);
            bytes = ByteBuffer.wrap(Arrays.copyOf(bytes.array(), capacity)).position(bytes.position());
        }
        return bytes;
    }

    /** Everything so far, ready to be sent. */
    ByteBuffer frame() {
        ByteBuffer frame = bytes.duplicate().flip();
        frame.putInt(0, frame.limit() - LENGTH_BYTES);
        return frame;
    }
}
