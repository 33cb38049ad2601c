package dev.tenure.wire;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Bytes to and from a server; nothing here waits. Not for two threads at once. */
public interface Link extends Closeable {
    /** How many bytes came; 0 if there are none now, -1 if there will be none. */
    int read(ByteBuffer target) throws IOException;

    /** Takes as much as goes now. */
    void write(ByteBuffer source) throws IOException;

    /** Must the network take something before more can be written? */
    boolean isFull();
}
