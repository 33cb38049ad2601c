/**
 * Connections to the other members and to observers, and the messages on them. A connection begins with a handshake, over TLS unless
 * all stay on one machine; then records travel as frames. Read {@link dev.tenure.peers.connection.PeerConnections} first, then
 * {@code Handshake}, {@code FrameCodec} and {@code PeerMessage}.
 */
@NullMarked
package dev.tenure.peers.connection;

import org.jspecify.annotations.NullMarked;
