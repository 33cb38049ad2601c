package dev.tenure.zookeeper.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads one frame; believes nothing that it says of lengths. Must not be kept: the bytes are used again. */
final class RecordReader {
    private static final int NONE = -1;

    private final ByteBuffer bytes;

    RecordReader(ByteBuffer bytes) {
        this.bytes = bytes;
    }

    int number() throws IOException {
        need(Integer.BYTES);
        return bytes.getInt();
    }

    long longNumber() throws IOException {
        need(Long.BYTES);
        return bytes.getLong();
    }

    boolean flag() throws IOException {
        need(1);
        return bytes.get() != 0;
    }

    byte[] data() throws IOException {
        byte[] value = new byte[length()];
        bytes.get(value);
        return value;
    }

    String text() throws IOException {
        int length = length();
        String value =
                new String(bytes.array(), bytes.arrayOffset() + bytes.position(), length, StandardCharsets.UTF_8);
        bytes.position(bytes.position() + length);
        return value;
    }

    List<String> texts() throws IOException {
        int count = count();
        List<String> values = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            values.add(text());
        }
        return values;
    }

    /** Every one of them takes at least four bytes. */
    private int count() throws IOException {
        int count = number();
        if (count < NONE || count > bytes.remaining() / Integer.BYTES) {
            throw new Garbled(count + " texts in " + bytes.remaining() + " bytes");
        }
        return Math.max(0, count);
    }

    private int length() throws IOException {
        int length = number();
        if (length < NONE) {
            throw new Garbled("a length of " + length);
        }
        int taken = Math.max(0, length);
        need(taken);
        return taken;
    }

    boolean isEmpty() {
        return !bytes.hasRemaining();
    }

    private void need(int count) throws IOException {
        if (bytes.remaining() < count) {
            throw new Garbled("it ends where " + count + " more bytes should stand");
        }
    }
}
