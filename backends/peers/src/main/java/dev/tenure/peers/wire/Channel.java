package dev.tenure.peers.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** A line after the greeting. One thread reads and one writes. */
public final class Channel {
    private final InputStream in;
    private final OutputStream out;
    private final Seal outgoing;
    private final Seal incoming;

    Channel(InputStream in, OutputStream out, Seal outgoing, Seal incoming) {
        this.in = in;
        this.out = out;
        this.outgoing = outgoing;
        this.incoming = incoming;
    }

    public byte[] read() throws IOException {
        return incoming.open(Frames.read(in, Frames.BYTES_MAX + Secret.SEAL_BYTES));
    }

    public void write(byte[] content) throws IOException {
        Frames.write(out, outgoing.close(content));
    }
}
