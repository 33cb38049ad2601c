// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers.connection;

import dev.tenure.peers.group.PeersSettings.Membership;
import java.util.Optional;

/** One connection to another process, after the handshake. */
public interface PeerConnection {
    /** None for an observer. */
    Optional<Membership.Peer> peer();

    /** Never waits, and promises nothing: every message can be lost. */
    void send(PeerMessage message);

    /** Told of connections, on the loop. */
    interface Listener {
        /** @param theirBase the lowest term in which the other process begins an election that it does not know */
        void linked(PeerConnection connection, long theirBase);

        void unlinked(PeerConnection connection);

        void received(PeerConnection connection, PeerMessage message);
    }
}
