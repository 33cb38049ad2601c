package dev.tenure.peers;

import java.util.List;
import java.util.Optional;

/** One connection to another process, after the handshake. */
interface PeerConnection {
    /** None for an observer. */
    Optional<Membership.Peer> peer();

    /** Never waits, and promises nothing: every message can be lost. */
    void send(byte[] frame);

    /** Hears what comes over connections, on their threads. */
    interface Listener {
        void linked(PeerConnection connection, long base);

        void received(PeerConnection connection, List<PeerMessage> messages);

        void unlinked(PeerConnection connection);
    }
}
