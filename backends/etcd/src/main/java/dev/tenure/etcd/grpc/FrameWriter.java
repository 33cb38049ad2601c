package dev.tenure.etcd.grpc;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Frames of HTTP/2 that wait to be sent. */
final class FrameWriter {
    static final int HEADER_BYTES = 9;
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int KEPT_BYTES_MAX = 64 * 1024;

    private ByteBuffer waiting = ByteBuffer.allocate(1024).limit(0);

    FrameWriter() {
        append(PREFACE.length).put(PREFACE).flip();
    }

    /** To be emptied from its beginning. */
    ByteBuffer waiting() {
        return waiting;
    }

    void frame(FrameType type, int flags, int stream, byte[] payload) {
        frame(type, flags, stream, payload, 0, payload.length);
    }

    void frame(FrameType type, int flags, int stream, byte[] payload, int from, int length) {
        header(type, flags, stream, length).put(payload, from, length).flip();
    }

    void number(FrameType type, int stream, int number) {
        header(type, 0, stream, Integer.BYTES).putInt(number).flip();
    }

    void settings(int id, int value) {
        header(FrameType.SETTINGS, 0, 0, Short.BYTES + Integer.BYTES)
                .putShort((short) id)
                .putInt(value)
                .flip();
    }

    private ByteBuffer header(FrameType type, int flags, int stream, int length) {
        return append(HEADER_BYTES + length)
                .put((byte) (length >>> 16))
                .putShort((short) length)
                .put((byte) type.ordinal())
                .put((byte) flags)
                .putInt(stream);
    }

    /** Room for so many bytes behind what waits. */
    private ByteBuffer append(int bytes) {
        int needed = waiting.remaining() + bytes;
        boolean tooLarge = waiting.capacity() > KEPT_BYTES_MAX && needed < KEPT_BYTES_MAX / 2;
        if (needed > waiting.capacity() || tooLarge) {
            ByteBuffer larger =
                    ByteBuffer.allocate(tooLarge ? KEPT_BYTES_MAX : Math.max(needed, 2 * waiting.capacity()));
            waiting = larger.put(waiting);
        } else {
            waiting.compact();
        }
        return waiting;
    }
}
