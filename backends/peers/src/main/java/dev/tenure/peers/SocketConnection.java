package dev.tenure.peers;

import dev.tenure.spi.Host;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A connection over a socket. The thread that made it reads; another one writes what is queued here, so that a slow peer holds up nobody. A
 * queue that is full, or a peer that is silent for too long, ends the connection: it is made again.
 */
final class SocketConnection implements PeerConnection {
    private static final int BACKLOG = 64;
    private static final int FRAMES_MAX = 1024;

    private final Optional<Membership.Peer> peer;
    private final Handshake.Hello theirs;
    private final Socket tcp;
    private final FrameStream frames;
    private final LinkedBlockingQueue<byte[]> queue = new LinkedBlockingQueue<>(FRAMES_MAX);
    private volatile long heardNanos;
    private volatile boolean open = true;

    /** @param tcp what is closed at the end, below TLS */
    SocketConnection(Optional<Membership.Peer> peer, Handshake.Hello theirs, Socket tcp, FrameStream frames) {
        this.peer = peer;
        this.theirs = theirs;
        this.tcp = tcp;
        this.frames = frames;
    }

    static ServerSocket listen(Membership.Peer me, Optional<String> bind) {
        try {
            ServerSocket socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(resolved(bind.orElse(me.host()), me.port()), BACKLOG);
            return socket;
        } catch (IOException failure) {
            throw Trouble.refused(
                    "member " + me.name() + " cannot listen on " + bind.orElse(me.host()) + ":" + me.port() + ": "
                            + failure.getMessage()
                            + ". Is it running already, or is this another machine? With bind=ADDRESS"
                            + " it listens elsewhere than where the others call",
                    failure);
        }
    }

    static Socket connect(Membership.Peer peer, int timeoutMillis) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(resolved(peer.host(), peer.port()), timeoutMillis);
            return socket;
        } catch (IOException failure) {
            socket.close();
            throw failure;
        }
    }

    private static InetSocketAddress resolved(String host, int port) throws IOException {
        InetSocketAddress address = new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            throw new IOException("its address is not known here");
        }
        return address;
    }

    @Override
    public Optional<Membership.Peer> peer() {
        return peer;
    }

    Handshake.Hello theirs() {
        return theirs;
    }

    long heardNanos() {
        return heardNanos;
    }

    boolean isOpen() {
        return open;
    }

    /** Takes frames until the connection ends, which it always does with an exception. */
    void read(Host host, PeerObserver observer) throws IOException {
        heardNanos = host.nanos();
        host.perform("tenure-peers-writer", this::write);
        while (true) {
            byte[] frame = frames.read(FrameStream.BYTES_MAX);
            heardNanos = host.nanos();
            List<PeerMessage> messages = FrameCodec.readAll(frame);
            host.post(() -> observer.received(this, messages));
        }
    }

    private void write() {
        try {
            while (open) {
                byte[] frame = queue.take();
                if (frame.length > 0) {
                    frames.write(frame);
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

    /** Never waits, also where the other side does not read: closing the TCP socket frees the threads that read and write. */
    void close() {
        open = false;
        queue.clear();
        queue.offer(new byte[0]);
        PeerConnections.drop(tcp);
    }
}
