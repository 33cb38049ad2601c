package dev.tenure.peers.wire;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Four bytes of length, then so many bytes. A length above the limit is garbage, and no memory is taken for it. */
public final class Frames {
    /** Before both sides know each other. */
    public static final int GREETING_BYTES_MAX = 2 * 1024;
    /** After that. One item may carry a card of 8 KB. */
    public static final int BYTES_MAX = 256 * 1024;

    private static final int TLS_ALERT = 0x1503;
    private static final int TLS_HANDSHAKE = 0x1603;

    private Frames() {}

    static byte[] read(InputStream from, int bytesMax) throws IOException {
        int length = new DataInputStream(from).readInt();
        if (length >>> Short.SIZE == TLS_ALERT || length >>> Short.SIZE == TLS_HANDSHAKE) {
            throw new Garbled("one of the two speaks TLS and the other does not: name tls.ca, tls.cert and tls.key"
                    + " everywhere");
        }
        if (length < 1 || length > bytesMax) {
            throw new Garbled("a frame of " + Integer.toUnsignedString(length) + " bytes");
        }
        byte[] frame = from.readNBytes(length);
        if (frame.length < length) {
            throw new EOFException("the line ended within a frame");
        }
        return frame;
    }

    static void write(OutputStream to, byte[] frame) throws IOException {
        byte[] whole = new byte[Integer.BYTES + frame.length];
        whole[0] = (byte) (frame.length >>> 24);
        whole[1] = (byte) (frame.length >>> 16);
        whole[2] = (byte) (frame.length >>> 8);
        whole[3] = (byte) frame.length;
        System.arraycopy(frame, 0, whole, Integer.BYTES, frame.length);
        DataOutputStream out = new DataOutputStream(to);
        out.write(whole);
        out.flush();
    }
}
