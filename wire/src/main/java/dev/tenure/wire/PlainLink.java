package dev.tenure.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Without TLS. */
public final class PlainLink implements Link {
    private final SocketChannel channel;
    private boolean full;

    public PlainLink(SocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return channel.read(target);
    }

    @Override
    public void write(ByteBuffer source) throws IOException {
        channel.write(source);
        full = source.hasRemaining();
    }

    @Override
    public boolean isFull() {
        return full;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
