package dev.tenure.peers;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ProtocolException;

/**
 * Records on a connection, each in a frame: four bytes of length, then so many bytes. A length above the limit is garbage, and no memory
 * is taken for it. One thread reads and one writes.
 */
final class FrameStream {
    /** One message may carry a card of 8 KB. */
    static final int BYTES_MAX = 64 * 1024;

    private static final int TLS_ALERT = 0x1503;
    private static final int TLS_HANDSHAKE = 0x1603;

    private final DataInputStream in;
    private final DataOutputStream out;

    FrameStream(InputStream in, OutputStream out) {
        this.in = new DataInputStream(new BufferedInputStream(in));
        this.out = new DataOutputStream(new BufferedOutputStream(out));
    }

    <T> T read(Class<T> type, int bytesMax) throws IOException {
        int length = in.readInt();
        if (length >>> Short.SIZE == TLS_ALERT || length >>> Short.SIZE == TLS_HANDSHAKE) {
            throw new ProtocolException("one of the two speaks TLS and the other does not: name tls.ca, tls.cert and"
                    + " tls.key everywhere");
        }
        if (length < 1 || length > bytesMax) {
            throw new ProtocolException("a frame that is not of 1 to " + bytesMax + " bytes");
        }
        byte[] frame = in.readNBytes(length);
        if (frame.length < length) {
            throw new EOFException("the connection ended within a frame");
        }
        return FrameCodec.read(type, frame);
    }

    /** It may wait until {@link #flush}. */
    <T> void write(Class<T> type, T value) throws IOException {
        byte[] frame = FrameCodec.write(type, value);
        out.writeInt(frame.length);
        out.write(frame);
    }

    void flush() throws IOException {
        out.flush();
    }
}
