package dev.tenure.zookeeper.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Without TLS. */
final class PlainLink implements Link {
    private final SocketChannel channel;
    private boolean full;

    PlainLink(SocketChannel channel) {
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
