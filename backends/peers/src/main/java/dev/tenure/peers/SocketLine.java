package dev.tenure.peers;

import dev.tenure.peers.wire.Channel;
import dev.tenure.spi.Host;
import java.io.IOException;
import java.net.Socket;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * One line to another process, after the greeting. The thread that made it reads; another one writes what is queued here, so that a slow
 * peer holds up nobody. A queue that is full, or a peer that is silent for too long, ends the line: it is made again.
 */
final class SocketLine implements Line {
    /** A peer that takes no more than this behind what was said is too slow to be of use. */
    private static final int FRAMES_MAX = 1024;

    private final Optional<Membership.Peer> peer;
    private final long instance;
    private final Socket socket;
    private final Channel channel;
    private final LinkedBlockingQueue<byte[]> queue = new LinkedBlockingQueue<>(FRAMES_MAX);
    private volatile long heardNanos;
    private volatile boolean open = true;

    /** @param peer nobody of the group, for somebody who only looks */
    SocketLine(Optional<Membership.Peer> peer, long instance, Socket socket, Channel channel) {
        this.peer = peer;
        this.instance = instance;
        this.socket = socket;
        this.channel = channel;
    }

    @Override
    public Optional<Membership.Peer> peer() {
        return peer;
    }

    long instance() {
        return instance;
    }

    long heardNanos() {
        return heardNanos;
    }

    boolean isOpen() {
        return open;
    }

    /** Takes frames until the line ends, which it always does with an exception. */
    void read(Host host, Listener listener) throws IOException {
        heardNanos = host.nanos();
        host.perform("tenure-peers-writer", this::write);
        while (true) {
            byte[] frame = channel.read();
            heardNanos = host.nanos();
            listener.received(this, ItemText.readAll(frame));
        }
    }

    private void write() {
        try {
            while (open) {
                byte[] frame = queue.take();
                if (frame.length > 0) {
                    channel.write(frame);
                }
            }
        } catch (IOException broken) {
            close();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            close();
        }
    }

    @Override
    public void send(byte[] frame) {
        if (!queue.offer(frame)) {
            close();
        }
    }

    /** Never waits, also where the other side does not read: closing a socket frees whoever reads or writes. */
    void close() {
        open = false;
        queue.clear();
        queue.offer(new byte[0]);
        try {
            socket.close();
        } catch (IOException gone) {
            System.getLogger("dev.tenure.peers").log(System.Logger.Level.DEBUG, "closing a line", gone);
        }
    }
}
