package dev.tenure.zookeeper.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads one frame; believes nothing that it says of lengths. Must not be kept: the bytes are used again. Byte by byte, for
 * the same reason as {@link RecordWriter}.
 */
final class RecordReader {
    private static final int NONE = -1;
    private static final int BYTE = 0xff;
    private static final long LOW_HALF = 0xffff_ffffL;

    private final byte[] bytes;
    private final int end;
    private int at;

    RecordReader(ByteBuffer frame) {
        this.bytes = frame.array();
        this.at = frame.arrayOffset() + frame.position();
        this.end = at + frame.remaining();
    }

    int number() throws IOException {
        need(Integer.BYTES);
        int value = (bytes[at] & BYTE) << 24
                | (bytes[at + 1] & BYTE) << 16
                | (bytes[at + 2] & BYTE) << 8
                | (bytes[at + 3] & BYTE);
        at += Integer.BYTES;
        return value;
    }

    long longNumber() throws IOException {
        need(Long.BYTES);
        long high = number();
        return (high << Integer.SIZE) | (number() & LOW_HALF);
    }

    boolean flag() throws IOException {
        need(1);
        return bytes[at++] != 0;
    }

    byte[] data() throws IOException {
        int length = length();
        byte[] value = Arrays.copyOfRange(bytes, at, at + length);
        at += length;
        return value;
    }

    String text() throws IOException {
        int length = length();
        String value = new String(bytes, at, length, StandardCharsets.UTF_8);
        at += length;
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
        if (count < NONE || count > remaining() / Integer.BYTES) {
            throw new Garbled(count + " texts in " + remaining() + " bytes");
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

    private int remaining() {
        return end - at;
    }

    boolean isEmpty() {
        return at == end;
    }

    private void need(int count) throws IOException {
        if (end - at < count) {
            throw new Garbled("it ends where " + count + " more bytes should stand");
        }
    }
}
