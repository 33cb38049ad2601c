package dev.tenure.zookeeper.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/** Bytes as they come, and the frames in them. */
final class Frames {
    /** Servers answer with a megabyte at most, unless they were told otherwise. */
    static final int FRAME_BYTES_MAX = 64 * 1024 * 1024;

    private static final int ROOM_BYTES = 16 * 1024;

    private ByteBuffer bytes = ByteBuffer.allocate(ROOM_BYTES).limit(0);

    /** Where the next bytes go; grows with what has come, not with what was announced. */
    ByteBuffer room() {
        int held = bytes.remaining();
        if (bytes.capacity() - bytes.limit() < ROOM_BYTES / 4) {
            byte[] target = held > bytes.capacity() / 2 ? new byte[2 * bytes.capacity()] : bytes.array();
            System.arraycopy(bytes.array(), bytes.position(), target, 0, held);
            bytes = ByteBuffer.wrap(target).limit(held);
        }
        return ByteBuffer.wrap(bytes.array(), bytes.limit(), bytes.capacity() - bytes.limit());
    }

    /** So many bytes were put there. */
    void came(int count) {
        bytes.limit(bytes.limit() + count);
    }

    /** The next whole frame, to be read at once: its bytes are used again. */
    Optional<RecordReader> next() throws Garbled {
        if (bytes.remaining() < Integer.BYTES) {
            return Optional.empty();
        }
        int length = bytes.getInt(bytes.position());
        if (length < 0 || length > FRAME_BYTES_MAX) {
            throw new Garbled("a frame of " + length + " bytes");
        }
        if (bytes.remaining() - Integer.BYTES < length) {
            return Optional.empty();
        }
        int from = bytes.position() + Integer.BYTES;
        bytes.position(from + length);
        return Optional.of(new RecordReader(ByteBuffer.wrap(bytes.array(), from, length)));
    }

    /** What was large once need not stay so. */
    void shrink() {
        if (!bytes.hasRemaining() && bytes.capacity() > 4 * ROOM_BYTES) {
            bytes = ByteBuffer.wrap(Arrays.copyOf(bytes.array(), ROOM_BYTES)).limit(0);
        }
    }
}
