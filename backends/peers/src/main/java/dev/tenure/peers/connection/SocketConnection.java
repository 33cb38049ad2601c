// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers.connection;

import dev.tenure.peers.group.PeersSettings;
import dev.tenure.peers.group.PeersSettings.Membership;
import dev.tenure.spi.Host;
import java.io.IOException;
import java.net.Socket;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A connection over a socket. The thread that made it reads; another one writes what is queued here, so that a slow peer holds up nobody. A
 * queue that is full, or a peer that is silent for too long, ends the connection: it is made again.
 */
final class SocketConnection implements PeerConnection {
    /** A few for each of the elections that a group can have. */
    private static final int MESSAGES_MAX = 5 * PeersSettings.ELECTIONS_MAX;

    private final Optional<Membership.Peer> peer;
    private final Handshake.Hello theirs;
    private final Socket tcp;
    private final FrameCodec frames;
    private final LinkedBlockingQueue<PeerMessage> queue = new LinkedBlockingQueue<>(MESSAGES_MAX);
    private volatile long receivedNanos;
    private volatile boolean open = true;

    /** @param tcp what is closed at the end, below TLS */
    SocketConnection(Optional<Membership.Peer> peer, Handshake.Hello theirs, Socket tcp, FrameCodec frames) {
        this.peer = peer;
        this.theirs = theirs;
        this.tcp = tcp;
        this.frames = frames;
    }

    @Override
    public Optional<Membership.Peer> peer() {
        return peer;
    }

    Handshake.Hello theirs() {
        return theirs;
    }

    /** Has it said anything since then? */
    boolean hasSpokenSince(long nanos) {
        return open && receivedNanos - nanos > 0;
    }

    /** Takes messages until the connection ends, which it always does with an exception. */
    void read(Host host, Listener listener) throws IOException {
        host.runDuty("tenure-peers-writer", this::write);
        while (true) {
            receivedNanos = host.nanos();
            PeerMessage message = frames.read(PeerMessage.class, FrameCodec.BYTES_MAX);
            host.post(() -> listener.received(this, message));
        }
    }

    private void write() {
        try {
            while (open) {
                frames.write(PeerMessage.class, queue.take());
                if (queue.isEmpty()) {
                    frames.flush();
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
    public void send(PeerMessage message) {
        if (!queue.offer(message)) {
            close();
        }
    }

    /** Never waits, also where the other side does not read: closing the TCP socket frees the threads that read and write. */
    void close() {
        open = false;
        queue.clear();
        queue.offer(new PeerMessage.Beat());
        PeerConnections.drop(tcp);
    }
}
