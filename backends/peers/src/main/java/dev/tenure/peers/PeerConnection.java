package dev.tenure.peers;

import java.util.Optional;

/** One connection to another process, after the handshake. */
interface PeerConnection {
    /** None for an observer. */
    Optional<Membership.Peer> peer();

    /** Never waits, and promises nothing: every message can be lost. */
    void send(PeerMessage message);
}
