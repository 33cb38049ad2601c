package dev.tenure.etcd.grpc;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Cuts what arrives into frames, and puts together blocks of headers that came in several. */
final class FrameReader {
    private static final FrameType[] TYPES = FrameType.values();
    private static final int BLOCK_BYTES_MAX = 64 * 1024;
    private static final int STREAM_MASK = Integer.MAX_VALUE;

    private final int lengthMax;
    private final ByteBuffer arrived;
    private final ByteArrayOutputStream block = new ByteArrayOutputStream();
    private int blockFlags;

    FrameReader(int lengthMax) {
        this.lengthMax = lengthMax;
        this.arrived = ByteBuffer.allocate(2 * (lengthMax + FrameWriter.HEADER_BYTES));
    }

    /** What to do with a frame. */
    interface Handler {
        void on(Frame frame) throws IOException;
    }

    /** @param content without padding; its bytes are gone after the call */
    record Frame(FrameType type, int flags, int stream, int length, ByteBuffer content) {
        boolean has(int flag) {
            return (flags & flag) != 0;
        }

        byte[] bytes() {
            byte[] bytes = new byte[content.remaining()];
            content.get(content.position(), bytes);
            return bytes;
        }

        int number(int at) throws IOException {
            if (at + Integer.BYTES > content.remaining()) {
                throw new IOException("the server sent a frame that is too short");
            }
            return content.getInt(content.position() + at);
        }

        int id(int at) {
            return content.getShort(content.position() + at);
        }
    }

    /** Where more bytes go to. */
    ByteBuffer room() {
        return arrived;
    }

    void forEach(Handler handler) throws IOException {
        arrived.flip();
        try {
            while (arrived.remaining() >= FrameWriter.HEADER_BYTES) {
                int length = ((arrived.get(arrived.position()) & 0xFF) << 16)
                        | (arrived.getShort(arrived.position() + 1) & 0xFFFF);
                if (length > lengthMax) {
                    throw new NotGrpc("it does not speak HTTP/2");
                }
                if (arrived.remaining() < FrameWriter.HEADER_BYTES + length) {
                    return;
                }
                int type = arrived.get(arrived.position() + 3) & 0xFF;
                int flags = arrived.get(arrived.position() + 4) & 0xFF;
                int stream = arrived.getInt(arrived.position() + 5) & STREAM_MASK;
                ByteBuffer content = arrived.slice(arrived.position() + FrameWriter.HEADER_BYTES, length);
                arrived.position(arrived.position() + FrameWriter.HEADER_BYTES + length);
                if (type < TYPES.length) {
                    pass(new Frame(TYPES[type], flags, stream, length, content), handler);
                }
            }
        } finally {
            arrived.compact();
        }
    }

    private void pass(Frame frame, Handler handler) throws IOException {
        boolean padded = frame.type() == FrameType.DATA || frame.type() == FrameType.HEADERS;
        if (padded && frame.has(FrameType.PADDED)) {
            withoutPadding(frame.content());
        }
        if (frame.type() == FrameType.HEADERS && frame.has(FrameType.WITH_PRIORITY)) {
            skip(frame.content(), Integer.BYTES + 1);
        }
        boolean begins = frame.type() == FrameType.HEADERS;
        if (!begins && frame.type() != FrameType.CONTINUATION) {
            handler.on(frame);
            return;
        }
        if (begins) {
            block.reset();
            blockFlags = frame.flags();
        }
        block.writeBytes(frame.bytes());
        if (block.size() > BLOCK_BYTES_MAX) {
            throw new IOException("the server sent too many headers");
        }
        if (frame.has(FrameType.END_HEADERS)) {
            ByteBuffer whole = ByteBuffer.wrap(block.toByteArray());
            handler.on(new Frame(FrameType.HEADERS, blockFlags, frame.stream(), whole.remaining(), whole));
        }
    }

    private static void withoutPadding(ByteBuffer content) throws IOException {
        if (!content.hasRemaining()) {
            throw new IOException("the server sent a frame that is too short");
        }
        int padding = content.get() & 0xFF;
        if (padding > content.remaining()) {
            throw new IOException("the server sent more padding than frame");
        }
        content.limit(content.limit() - padding);
    }

    private static void skip(ByteBuffer content, int bytes) throws IOException {
        if (content.remaining() < bytes) {
            throw new IOException("the server sent a frame that is too short");
        }
        content.position(content.position() + bytes);
    }
}
